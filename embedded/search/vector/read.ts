import { rawField } from '../../bson/raw.ts';

const FLOAT32 = 0x27;

/** Writes the document's vector into `into`; false when it has none of that length. Binary vectors are copied as they are. */
export function readVector(bytes: Uint8Array, parts: readonly string[], into: Float32Array): boolean {
  let field: { type: number; bytes: Uint8Array } | undefined = { type: 3, bytes };
  for (const part of parts) field = field?.type === 3 ? rawField(field.bytes, part) : undefined;
  if (field?.type === 5) return readBinary(field.bytes, into);
  return field?.type === 4 && readArray(field.bytes, into);
}

/** Length, subtype 9, then element type, padding and the floats. Vectors of int8 and of bits are met by queries of their kind only. */
function readBinary(bytes: Uint8Array, into: Float32Array): boolean {
  if (bytes.length !== 7 + into.byteLength || bytes[4] !== 9 || bytes[5] !== FLOAT32 || bytes[6] !== 0) return false;
  new Uint8Array(into.buffer, into.byteOffset, into.byteLength).set(bytes.subarray(7));
  return true;
}

function readArray(bytes: Uint8Array, into: Float32Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 4;
  for (let item = 0; ; item++) {
    const type = bytes[at];
    if (type === 0) return item === into.length;
    if (item === into.length) return false;
    at = bytes.indexOf(0, at + 1) + 1;
    if (type === 1) into[item] = view.getFloat64(at, true);
    else if (type === 16) into[item] = view.getInt32(at, true);
    else if (type === 18) into[item] = Number(view.getBigInt64(at, true));
    else return false;
    at += type === 16 ? 4 : 8;
  }
}
