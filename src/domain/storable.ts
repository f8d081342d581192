/**
 * Reason why a JSON value cannot be stored without loss, with a JSON Pointer; null if it can. JSON text can contain numbers beyond every
 * double (`1e400` is parsed as Infinity) and names with NUL, which BSON does not support.
 */
export function unstorable(value: unknown, pointer = ''): { pointer: string; message: string } | null {
  if (typeof value === 'number' && !Number.isFinite(value))
    return { pointer, message: 'this number is too large: use a finite number' };
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, child] of Object.entries(value)) {
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (name.includes('\0')) return { pointer: at, message: 'this name contains the character NUL: remove it' };
    const found = unstorable(child, at);
    if (found !== null) return found;
  }
  return null;
}
