import { valueTypes, type ValueType } from '#src/domain/segment-locally/value-patterns.ts';

const layoutWords = ['text', 'lines', 'words', 'blocks', 'foreground', 'page'] as const;
export type LayoutWord = (typeof layoutWords)[number];

/** A parsed prompt. `quoted`: literal text only, not an object in the picture. */
export type Wanted =
  | { readonly kind: 'layout'; readonly what: LayoutWord }
  | { readonly kind: 'typed'; readonly type: ValueType }
  | { readonly kind: 'label'; readonly label: string }
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean };

const aliases: Readonly<Record<string, LayoutWord | ValueType>> = {
  line: 'lines',
  word: 'words',
  block: 'blocks',
  paragraph: 'blocks',
  paragraphs: 'blocks',
  ink: 'foreground',
  paper: 'page',
  document: 'page',
  dates: 'date',
  datum: 'date',
  amount: 'money',
  amounts: 'money',
  price: 'money',
  prices: 'money',
  betrag: 'money',
  emails: 'email',
  'e-mail': 'email',
  phones: 'phone',
  telephone: 'phone',
  telefon: 'phone',
  urls: 'url',
  link: 'url',
  website: 'url',
  numbers: 'number',
  zeilen: 'lines',
  wörter: 'words',
};

/** Parses `lines`, `date`, `value of total`, `Wert von Summe`, `total:`, `"free text"` and free text. */
export function readPrompt(prompt: string): Wanted {
  const plain = prompt.trim();
  const word = plain.toLowerCase();
  const known = Object.hasOwn(aliases, word) ? aliases[word] : word;
  const what = layoutWords.find((name) => name === known);
  if (what !== undefined) return { kind: 'layout', what };
  const type = valueTypes.find((name) => name === known);
  if (type !== undefined) return { kind: 'typed', type };
  const label =
    /^(?:value of|wert von|wert der|wert des)\s+(.+?):?$/iu.exec(plain)?.[1] ?? /^(.+?)\s*:$/u.exec(plain)?.[1];
  if (label !== undefined) return { kind: 'label', label };
  const quoted = /^["'“„«](.+)["'”“»]$/u.exec(plain)?.[1];
  return { kind: 'text', text: quoted ?? plain, quoted: quoted !== undefined };
}
