import { neutralize } from '#mcp/present/neutralize.ts';

const unseen = /[\p{Cf}]|(?![\n\t])\p{Cc}/gu;

/** Text of others for a person to read: nothing unseen in it, at most `max` characters. */
export function plainText(text: string, max: number): string {
  const seen = neutralize(text.replaceAll('\r\n', '\n').replaceAll(unseen, '')).trim();
  return seen.length <= max ? seen : `${seen.slice(0, max).toWellFormed()} …`;
}

/** A name that others gave, within a sentence: on one line, in quotes that it cannot close. */
export function plainName(name: string, max = 80): string {
  return `“${plainText(name.replaceAll(/[\p{C}\s]+/gu, ' ').replaceAll(/[“”]/gu, '"'), max)}”`;
}
