import { Fragment, type ReactNode } from 'react';

interface AnswerTextProps {
  readonly text: string;
  readonly onCite: (index: number) => void;
}

const inline = /(\*\*[^*\n]+\*\*|`[^`\n]+`|\[\d{1,2}\])/g;

/** Bold, code and citations of one line. Everything else is text. */
function Inline({ text, onCite }: AnswerTextProps) {
  return text.split(inline).map((piece, index) => {
    const key = `${index}-${piece}`;
    const cited = /^\[(\d{1,2})\]$/.exec(piece);
    if (cited !== null)
      return (
        <button
          key={key}
          type="button"
          onClick={() => onCite(Number(cited[1]))}
          className="mx-0.5 rounded-sm bg-accent-soft px-1 text-xs font-medium text-accent hover:underline"
        >
          {cited[1]}
        </button>
      );
    if (piece.startsWith('**') && piece.length > 4) return <strong key={key}>{piece.slice(2, -2)}</strong>;
    if (piece.startsWith('`') && piece.length > 2)
      return (
        <code key={key} className="rounded-sm bg-hover px-1 font-mono text-xs">
          {piece.slice(1, -1)}
        </code>
      );
    return <Fragment key={key}>{piece}</Fragment>;
  });
}

/** Blocks of an answer: paragraphs, lists and quotes. Markup of documents and models is never read as HTML. */
export function AnswerText({ text, onCite }: AnswerTextProps) {
  const blocks = text.split(/\n{2,}/).filter((block) => block.trim() !== '');
  return (
    <div dir="auto" className="grid gap-3 leading-relaxed">
      {blocks.map((block, index) => {
        const key = `${index}-${block.slice(0, 20)}`;
        const lines = block.split('\n');
        const line = (one: string): ReactNode => <Inline text={one} onCite={onCite} />;
        if (lines.every((one) => /^\s*[-*•]\s/.test(one)))
          return (
            <ul key={key} className="list-disc ps-5">
              {lines.map((one) => (
                <li key={one}>{line(one.replace(/^\s*[-*•]\s/, ''))}</li>
              ))}
            </ul>
          );
        if (lines.every((one) => one.startsWith('>')))
          return (
            <blockquote key={key} className="border-s-2 border-line-strong ps-3 text-muted">
              {line(lines.map((one) => one.replace(/^>\s?/, '')).join(' '))}
            </blockquote>
          );
        return (
          <p key={key} className="whitespace-pre-line">
            {line(block)}
          </p>
        );
      })}
    </div>
  );
}
