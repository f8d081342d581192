const maxDepth = 100;

/**
 * Why a parsed JSON value may not become part of a graph, as a sentence; null when it may. Looks no deeper than it has to, so that no
 * later step overflows the stack.
 */
export function unfitJson(value: unknown, depth = 0): string | null {
  if (depth > maxDepth) return `JSON may be nested ${maxDepth} levels deep at most.`;
  if (typeof value === 'number' && !Number.isFinite(value)) return 'A number is too large.';
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, child] of Object.entries(value)) {
    if (name === '__proto__') return 'The name "__proto__" is not allowed.';
    if (name.includes('\0')) return 'A name may not contain the character NUL.';
    const found = unfitJson(child, depth + 1);
    if (found !== null) return found;
  }
  return null;
}
