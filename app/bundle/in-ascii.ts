import { parseSync, Visitor } from 'rolldown/utils';

/** Text of `String.raw`, or an expression in it. */
interface Part {
  readonly isRaw: boolean;
  readonly start: number;
  readonly end: number;
}

const rawTag = 'String.raw';

/** Outer parts come before those in them. */
function partsOf(code: string): readonly Part[] {
  // To parse takes longer than all else here.
  if (!code.includes(`${rawTag}\``)) return [];
  const parts: Part[] = [];
  new Visitor({
    TaggedTemplateExpression({ tag, quasi }) {
      if (code.slice(tag.start, tag.end) !== rawTag) return;
      parts.push({ isRaw: true, start: quasi.start, end: quasi.end });
      for (const { start, end } of quasi.expressions) parts.push({ isRaw: false, start, end });
    },
  }).visit(parseSync('program.js', code).program);
  return parts;
}

const escaped = (unit: string): string => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * The same program in ASCII. A single other character makes the engine keep two bytes for each one of the whole text, for as long as the
 * program runs. `code` has no comments, and no other tag than `String.raw` that reads such characters without their escapes. A character in
 * `String.raw` becomes an expression.
 */
export function inAscii(code: string): string {
  if (!/[^\0-\u007f]/.test(code)) return code;
  const parts = partsOf(code);
  return code.replaceAll(/(\\*)([^\0-\u007f])/g, (whole, slashes: string, unit: string, at: number) => {
    const isRaw = parts.findLast(({ start, end }) => start <= at && at < end)?.isRaw === true;
    // Behind an odd backslash, the character stands for itself. In a raw text, the backslash stands for itself, too.
    const isOdd = slashes.length % 2 === 1;
    if (isRaw) return isOdd ? whole : `${slashes}\${"${escaped(unit)}"}`;
    return (isOdd ? slashes.slice(1) : slashes) + escaped(unit);
  });
}
