/**
 * Why a parsed JSON value cannot be stored and given back as it was, as JSON Pointer and sentence; null when it can. JSON text may
 * hold numbers beyond every double (`1e400` is read as Infinity), and names with NUL, which BSON cannot say.
 */
export function unstorable(value: unknown, pointer = ''): { pointer: string; message: string } | null {
  if (typeof value === 'number' && !Number.isFinite(value)) return { pointer, message: 'this number is too large' };
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, child] of Object.entries(value)) {
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (name.includes('\0')) return { pointer: at, message: 'a name may not contain the character NUL' };
    const found = unstorable(child, at);
    if (found !== null) return found;
  }
  return null;
}
