import { createHash } from 'node:crypto';
import { pdfFile, type PdfFile, type PdfObject } from '#scripts/inputs/pdf-file.ts';

const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
const permissions = -4;
const fileId = Buffer.alloc(16, 7);

const md5 = (...parts: Buffer[]): Buffer => createHash('md5').update(Buffer.concat(parts)).digest();
const hex = (bytes: Buffer): string => `<${bytes.toString('hex')}>`;
const padded = (password: string): Buffer => Buffer.concat([Buffer.from(password), padding]).subarray(0, 32);

function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  const swap = (left: number, right: number): void => {
    const kept = state[left] ?? 0;
    state[left] = state[right] ?? 0;
    state[right] = kept;
  };
  for (let index = 0, other = 0; index < 256; index += 1) {
    other = (other + (state[index] ?? 0) + (key[index % key.length] ?? 0)) % 256;
    swap(index, other);
  }
  const result = Buffer.alloc(data.length);
  for (let at = 0, index = 0, other = 0; at < data.length; at += 1) {
    index = (index + 1) % 256;
    other = (other + (state[index] ?? 0)) % 256;
    swap(index, other);
    result[at] = (data[at] ?? 0) ^ (state[((state[index] ?? 0) + (state[other] ?? 0)) % 256] ?? 0);
  }
  return result;
}

/** Encrypts the streams of a PDF with 40 bits. An empty password opens it for everyone. Source: ISO 32000-1 §7.6, algorithms 1 to 4. */
export function encryptedPdf(objects: PdfFile['objects'], password: string): Buffer {
  const owner = rc4(md5(padded('owner')).subarray(0, 5), padded(password));
  const rights = Buffer.alloc(4);
  rights.writeInt32LE(permissions);
  const key = md5(padded(password), owner, rights, fileId).subarray(0, 5);
  const locked = objects.map((object, index): PdfObject | string => {
    if (typeof object === 'string' || object.stream === undefined) return object;
    const number = Buffer.from([index + 1, 0, 0, 0, 0]);
    return { ...object, stream: rc4(md5(key, number).subarray(0, 10), object.stream) };
  });
  const encrypt = `<< /Filter /Standard /V 1 /R 2 /O ${hex(owner)} /U ${hex(rc4(key, padding))} /P ${permissions} >>`;
  return pdfFile({ objects: locked, trailer: `/ID [${hex(fileId)} ${hex(fileId)}] /Encrypt ${encrypt}` });
}
