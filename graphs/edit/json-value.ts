const maxDepth = 100;

/**
 * Reason, as a sentence, why a parsed JSON value cannot be part of a graph; null if it can. Stops at the depth limit, so that no later
 * step overflows the stack.
 */
export function unfitJson(value: unknown, depth = 0): string | null {
  if (depth > maxDepth) return `The value is nested deeper than ${maxDepth} levels. Flatten it.`;
  if (typeof value === 'number' && !Number.isFinite(value)) return 'A number is too large. Use a finite number.';
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, child] of Object.entries(value)) {
    if (name === '__proto__') return 'The name "__proto__" is not allowed. Use another name.';
    if (name.includes('\0')) return 'A name contains the character NUL. Remove it.';
    const found = unfitJson(child, depth + 1);
    if (found !== null) return found;
  }
  return null;
}
