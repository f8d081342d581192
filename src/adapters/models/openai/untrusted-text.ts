import { createHash } from 'node:crypto';

/** Text that resembles one of our delimiters, in any brackets, case and spacing: a known name, or any words with a digest. */
const bracket = String.raw`[<＜‹«⟨〈[]\s*[/／\\]?\s*`;
const anyDelimiter = new RegExp(`${bracket}[a-z_]{1,40}_[0-9a-f]{12}(?![0-9a-z])`, 'giu');

/**
 * Puts text of a document between delimiters for a prompt. The delimiter has a digest of the text, so no text can contain its own.
 * Lookalikes in the text are defused, invisible and control characters dropped. Keeps `most` characters: the start and a tail. `name`
 * names the kind of text in lower-case words joined by `_`.
 */
export function delimitUntrusted(text: string, most: number, name = 'recognized_text'): string {
  const clean = text
    .replace(/[\p{Cf}]|(?![\n\t])\p{Cc}/gu, (character) => (character === '\f' ? '\n' : ''))
    .replace(lookalikeOf(name), `(${name}`)
    .replace(anyDelimiter, '(delimiter');
  const kept = clean.length <= most ? clean : shortened(clean, most);
  const tag = `${name}_${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
  return `<${tag}>\n${kept}\n</${tag}>`;
}

/** Matches `recognized` and `recognised`. */
function lookalikeOf(name: string): RegExp {
  const words = name.split('_').map((word) => word.replace('recognized', 'recogni[sz]ed'));
  return new RegExp(bracket + words.join(String.raw`[\s_.-]*`), 'giu');
}

function shortened(text: string, most: number): string {
  const tail = Math.floor(most / 5);
  return `${text.slice(0, most - tail)}\n[... ${text.length - most} characters left out ...]\n${text.slice(-tail)}`.toWellFormed();
}
