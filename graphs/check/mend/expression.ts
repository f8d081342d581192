import { parseExpression } from '#graphs/expression/expression.ts';

/** What other languages write, and CEL writes otherwise. In this order. */
const slips: readonly (readonly [RegExp, string])[] = [
  [/[“”]/g, '"'],
  [/[‘’]/g, "'"],
  [/===/g, '=='],
  [/!==/g, '!='],
  [/<>/g, '!='],
  [/=</g, '<='],
  [/=>/g, '>='],
  [/(?<![=!<>])=(?!=)/g, '=='],
  [/(?<!&)&(?!&)/g, '&&'],
  [/(?<!\|)\|(?!\|)/g, '||'],
  [/\band\b/gi, '&&'],
  [/\bor\b/gi, '||'],
  [/\bnot\s+(?!in\b)/gi, '!'],
  [/\b(?:None|nil|NULL|Null|undefined)\b/g, 'null'],
  [/\b(?:True|TRUE)\b/g, 'true'],
  [/\b(?:False|FALSE)\b/g, 'false'],
];
const literal = /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/;
const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
/** Longer ones are no slip of the pen. */
const longest = 500;

/** An expression that was probably meant where `text` is none: written in CEL, its brackets closed; undefined where that is a guess. */
export function mendedExpression(text: string, known: readonly string[]): string | undefined {
  if (text.length > longest) return undefined;
  const translated = outsideOfLiterals(text.replaceAll(/[“”]/g, '"'), (part) =>
    slips.reduce((here, [slip, by]) => here.replaceAll(slip, by), part),
  );
  const mended = (translated + missingBrackets(translated)).trim();
  if (mended === text) return undefined;
  try {
    return parseExpression(mended).names.every((name) => known.includes(name)) ? mended : undefined;
  } catch {
    // Still none: somebody has to look at it.
    return undefined;
  }
}

function outsideOfLiterals(text: string, change: (part: string) => string): string {
  return text
    .split(literal)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join('');
}

function missingBrackets(text: string): string {
  const open: string[] = [];
  outsideOfLiterals(text, (part) => {
    for (const character of part) {
      const closes = closing[character];
      if (closes !== undefined) open.push(closes);
      else if (open.at(-1) === character) open.pop();
    }
    return part;
  });
  return open.toReversed().join('');
}
