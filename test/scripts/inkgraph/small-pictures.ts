import sharp from 'sharp';

/** Small PNGs of different bytes. */
export async function smallPictures(count: number): Promise<Uint8Array<ArrayBuffer>[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const background = { r: at % 256, g: Math.floor(at / 256), b: 7 };
      const picture = sharp({ create: { width: 2, height: 2, channels: 3, background } });
      return new Uint8Array(await picture.png().toBuffer());
    }),
  );
}
