import { crc32, inflateRawSync } from 'node:zlib';

/** Entries of a zip by path, read by its central directory (APPNOTE 6.3.10, §4.3.12), each checked against its CRC. */
export function entriesOf(zip: Buffer): ReadonlyMap<string, Buffer> {
  const end = zip.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'));
  if (end < 0) throw new Error('no end of a central directory');
  const count = zip.readUInt16LE(end + 10);
  const entries = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let entry = 0; entry < count; entry += 1) {
    if (zip.readUInt32LE(at) !== 0x0201_4b50) throw new Error(`no header of an entry at ${at}`);
    const [method, crc, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 16), zip.readUInt32LE(at + 20)];
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const local = zip.readUInt32LE(at + 42);
    const path = zip.subarray(at + 46, at + 46 + nameLength).toString();
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const stored = zip.subarray(start, start + size);
    const content = method === 0 ? stored : inflateRawSync(stored);
    if (crc32(content) !== crc) throw new Error(`${path} has another CRC`);
    entries.set(path, content);
    at += 46 + nameLength + extra + comment;
  }
  return entries;
}
