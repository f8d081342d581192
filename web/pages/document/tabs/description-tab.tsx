import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Copy } from '../../../parts/copy.tsx';
import { Empty } from '../../../parts/states.tsx';
import { document as words } from '../../../text/document.ts';
import { bytes, count, moment, share } from '../../../text/format.ts';
import type { Detail } from '../reading.ts';

const { facts } = words;

function factsOf(document: Detail): readonly (readonly [string, ReactNode])[] {
  const other = (id: string | undefined): ReactNode =>
    id === undefined ? null : (
      <Link to="/documents/$id" params={{ id }} className="text-accent underline">
        {id}
      </Link>
    );
  return [
    [facts.file, document.filename],
    [facts.type, document.contentType],
    [facts.size, bytes(document.sizeBytes)],
    [facts.pages, count(document.pages)],
    [facts.added, moment(document.createdAt)],
    [facts.writer, document.descriptionModelLabel],
    [facts.reader, document.ocr?.modelLabel],
    [facts.confidence, document.ocr === null ? null : share(document.ocr.avgConfidence / 100)],
    [facts.duplicate, other(document.duplicateOf)],
    [facts.parent, other(document.parentDocumentId)],
    [facts.id, <code key="id">{document.id}</code>],
    [facts.hash, document.sha256 === null ? null : <code key="hash">{document.sha256}</code>],
  ];
}

/** Description by a model, and facts of the file. */
export function DescriptionTab({ document }: { readonly document: Detail }) {
  return (
    <div className="grid gap-5">
      {document.description === null ? (
        <Empty title={words.noDescriptionTitle}>{words.noDescription}</Empty>
      ) : (
        <div className="grid justify-items-start gap-2">
          <p className="text-base leading-relaxed whitespace-pre-wrap" dir="auto">
            {document.description}
          </p>
          <Copy text={document.description} />
        </div>
      )}
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5">
        {factsOf(document)
          .filter(([, value]) => value !== null && value !== undefined)
          .map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd dir="auto">{value}</dd>
            </div>
          ))}
      </dl>
    </div>
  );
}
