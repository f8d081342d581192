import type { ReactNode } from 'react';

interface Passage {
  readonly text: string;
  readonly spans: readonly { readonly start: number; readonly end: number }[];
}

/** A passage with its matched words marked. The text comes from a document: it is shown, never read as markup. */
export function Marked({ text, spans }: Passage) {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    parts.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>);
    at = end;
  }
  return (
    <span dir="auto">
      {parts}
      {text.slice(at)}
    </span>
  );
}
