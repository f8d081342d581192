import type { ReactNode } from 'react';
import type { Passage } from './passage.ts';

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
