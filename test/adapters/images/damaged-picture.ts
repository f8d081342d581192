/** A picture of a PDF whose stream is no JBIG2. */
export const damagedPicture = {
  width: 100,
  height: 100,
  entries: '/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /JBIG2Decode',
  data: Buffer.from('no picture at all'),
};
