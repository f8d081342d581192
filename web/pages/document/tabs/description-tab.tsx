import { Link } from '../../../router/link.tsx';
import { History, Pencil } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Copy } from '../../../parts/copy.tsx';
import { Empty } from '../../../parts/states.tsx';
import { document as words } from '../../../text/document.ts';
import { bytes, count, moment, share } from '../../../text/format.ts';
import { useCan } from '../../../shell/session.ts';
import { DescriptionEditor } from './description-editor.tsx';
import { DescriptionVersions } from './description-versions.tsx';
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
    [facts.languages, document.languages?.join(', ')],
    [facts.confidence, document.ocr === null ? null : share(document.ocr.avgConfidence / 100)],
    [document.duplicateKind === 'near' ? facts.nearDuplicate : facts.duplicate, other(document.duplicateOf)],
    [facts.parent, other(document.parentDocumentId)],
    [facts.id, <code key="id">{document.id}</code>],
    [facts.hash, document.sha256 === null ? null : <code key="hash">{document.sha256}</code>],
  ];
}

function Description({ document }: { readonly document: Detail }) {
  const canCorrect = useCan('documents:write');
  const [isEdited, edit] = useState(false);
  const [isListed, list] = useState(false);
  if (isEdited) return <DescriptionEditor document={document} onClose={() => edit(false)} />;
  const correct = canCorrect && (
    <Button size="small" icon={<Pencil size={14} aria-hidden />} onClick={() => edit(true)}>
      {document.description === null ? words.writeDescription : words.correctDescription}
    </Button>
  );
  if (document.description === null)
    return (
      <Empty title={words.noDescriptionTitle} actions={correct}>
        {words.noDescription}
      </Empty>
    );
  return (
    <div className="grid justify-items-start gap-2">
      <p className="text-base leading-relaxed whitespace-pre-wrap" dir="auto">
        {document.description}
      </p>
      <div className="flex flex-wrap gap-2">
        <Copy text={document.description} />
        {correct}
        <Button
          size="small"
          icon={<History size={14} aria-hidden />}
          aria-expanded={isListed}
          onClick={() => list(!isListed)}
        >
          {words.versions}
        </Button>
      </div>
      {isListed && <DescriptionVersions id={document.id} />}
    </div>
  );
}

/** Description by a model or a person, and facts of the file. */
export function DescriptionTab({ document }: { readonly document: Detail }) {
  return (
    <div className="grid gap-5">
      <Description document={document} />
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
