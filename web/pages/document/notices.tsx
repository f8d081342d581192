import { Link } from '../../router/link.tsx';
import { TriangleAlert } from 'lucide-react';
import { document as words } from '../../text/document.ts';
import type { Detail } from './reading.ts';

/** Problems of the document, each with its remedy. */
export function Notices({ document, onPage }: { readonly document: Detail; readonly onPage: (page: number) => void }) {
  const { ocr, degraded, duplicateOf, duplicateKind, reading } = document;
  const warnings = ocr?.warnings ?? [];
  if (warnings.length === 0 && degraded === undefined && duplicateOf === undefined && reading === undefined)
    return null;
  return (
    <div className="mb-4 grid gap-2">
      {reading !== undefined && (
        <p className="grid gap-1.5 rounded-lg bg-info-soft px-3 py-2 text-info">
          <Link to="/runs/$id" params={{ id: reading.runId }}>
            <strong>{words.pagesRead(reading.pagesRead, reading.pages)}.</strong>{' '}
            {ocr === null ? words.readingWords : words.readingAgainWords}
          </Link>
          <progress
            value={reading.pagesRead}
            max={reading.pages}
            aria-label={words.pagesRead(reading.pagesRead, reading.pages)}
            className="h-1 w-full text-info"
          />
        </p>
      )}
      {duplicateOf !== undefined && (
        <p className="rounded-lg bg-hover px-3 py-2">
          {duplicateKind === 'near' ? words.nearDuplicateWords : words.duplicateWords}{' '}
          <Link to="/documents/$id" params={{ id: duplicateOf }} className="text-accent underline">
            {words.openOther}
          </Link>
        </p>
      )}
      {degraded !== undefined && (
        <p className="flex gap-2 rounded-lg bg-warn-soft px-3 py-2 text-warn">
          <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
          <span>
            <strong>{words.degradedTitle}.</strong> {words.degradedWords(degraded.join(', '))}
          </span>
        </p>
      )}
      {warnings.length > 0 && (
        <details className="rounded-lg bg-warn-soft px-3 py-2 text-warn" open={warnings.length < 4}>
          <summary className="font-semibold">{words.warningTitle(warnings.length)}</summary>
          <ul className="mt-1 grid gap-0.5">
            {warnings.map(({ page, code, detail }) => (
              <li key={`${page} ${code}`}>
                <button type="button" className="underline" onClick={() => onPage(page)}>
                  {words.warningPage(page + 1)}
                </button>
                : {detail}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
