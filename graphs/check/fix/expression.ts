import { parseExpression } from '#graphs/expression/expression.ts';

/** Spellings of other languages and their CEL form, applied in this order. */
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
/** Longest expression to correct, in characters. */
const longest = 500;

/** Translates a broken expression to valid CEL and closes its brackets; undefined if the result does not parse or uses unknown names. */
export function correctedExpression(text: string, known: readonly string[]): string | undefined {
  if (text.length > longest) return undefined;
  const translated = outsideOfLiterals(text.replaceAll(/[“”]/g, '"'), (part) =>
    slips.reduce((here, [slip, by]) => here.replaceAll(slip, by), part),
  );
  const corrected = (translated + missingBrackets(translated)).trim();
  if (corrected === text) return undefined;
  try {
    return parseExpression(corrected).names.every((name) => known.includes(name)) ? corrected : undefined;
  } catch {
    // Not correctable by rule: the author has to.
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
