import { createHash } from 'node:crypto';

/** Bytes that follow from a key: another process can tell whether an object is whole. */
export function objectBytes(key: string, size = 100_000): Buffer {
  const digest = createHash('sha256').update(key).digest();
  return Buffer.alloc(size, digest);
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
