import { createHash } from 'node:crypto';

const name = 'recognized_text';
/** Anything that reads like our delimiter, whatever its brackets, case and gaps. */
const lookalike = /[<＜‹«⟨〈[]\s*[/／\\]?\s*recogni[sz]ed[\s_.-]*text/giu;

/**
 * Text of a document between delimiters for a prompt. The delimiter carries a digest of the text, so that no text can hold its own;
 * lookalikes in it are blunted, invisible and control characters dropped. `most` characters are kept: the start, and a tail.
 */
export function delimitUntrusted(text: string, most: number): string {
  const clean = text
    .replace(/[\p{Cf}]|(?![\n\t])\p{Cc}/gu, (character) => (character === '\f' ? '\n' : ''))
    .replace(lookalike, `(${name}`);
  const kept = clean.length <= most ? clean : shortened(clean, most);
  const tag = `${name}_${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
  return `<${tag}>\n${kept}\n</${tag}>`;
}

function shortened(text: string, most: number): string {
  const tail = Math.floor(most / 5);
  return `${text.slice(0, most - tail)}\n[... ${text.length - most} characters left out ...]\n${text.slice(-tail)}`.toWellFormed();
}
