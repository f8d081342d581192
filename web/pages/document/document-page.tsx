import { useQuery } from '@tanstack/react-query';
import { Link } from '../../router/link.tsx';
import { pageAt } from '../../router/navigate.ts';
import { useMemo } from 'react';
import { Problem } from '../../api/problem.ts';
import { read } from '../../api/read.ts';
import { Badge, StateBadge } from '../../parts/badge.tsx';
import { Page } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { NotFound } from '../../shell/errors.tsx';
import { createStore } from '../../state/store.ts';
import { document as words } from '../../text/document.ts';
import { titleOf } from '../documents/card.ts';
import { Tags } from '../documents/tags.tsx';
import { DocumentActions } from './document-actions.tsx';
import { Neighbours } from './neighbours.tsx';
import { Notices } from './notices.tsx';
import { PageSide } from './page-side.tsx';
import { createLit, usePlace } from './place.ts';
import { pageOf, useDocumentText } from './read-text.ts';
import type { Detail, Mark } from './reading.ts';
import { ReadingSide } from './reading-side.tsx';

const route = pageAt('/documents/$id');

function Document({ document, onExpired }: { readonly document: Detail; readonly onExpired: () => void }) {
  const place = usePlace();
  const texts = useDocumentText(document.id, place.page);
  const lit = useMemo(() => createLit(), []);
  const marks = useMemo(() => createStore<readonly Mark[]>([]), []);
  const version = texts.data?.results[0];
  const text = pageOf(texts.data, place.page);
  const unfinishedBy = version === undefined ? texts.data?.reading?.modelLabel : undefined;
  const { latestRun } = document;
  const reading = { document, place, version, unfinishedBy, text, lit, marks };
  return (
    <Page
      trail={<Neighbours id={document.id} />}
      title={titleOf(document)}
      lead={
        <span className="mt-1 flex flex-wrap items-center gap-2">
          {latestRun !== null && (
            <Link to="/runs/$id" params={{ id: latestRun.runId }}>
              <span className="sr-only">{words.openRun}: </span>
              <StateBadge state={latestRun.status} />
            </Link>
          )}
          {document.visibility === 'public' && <Badge tone="info">{words.isPublic}</Badge>}
          <Tags tags={document.tags} />
        </span>
      }
      actions={<DocumentActions detail={document} />}
    >
      <Notices document={document} onPage={place.toPage} />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1.15fr)_minmax(0,1fr)]">
        <div className="h-[62dvh] lg:sticky lg:top-4 lg:h-[calc(100dvh-7.5rem)]">
          <PageSide reading={reading} onExpired={onExpired} />
        </div>
        <ReadingSide reading={reading} />
      </div>
    </Page>
  );
}

/** One document: its pages beside what was read from them. */
export function DocumentPage() {
  const id = route.useId();
  const { data, error, refetch } = useQuery(read('documents', 'get', { params: { id } }));
  if (data !== undefined) return <Document key={data.id} document={data} onExpired={() => void refetch()} />;
  if (error === null) return <Skeleton lines={8} />;
  if (error instanceof Problem && error.status === 404) return <NotFound />;
  return (
    <Page title={words.untitled}>
      <Failure error={error} onRetry={() => void refetch()} />
    </Page>
  );
}
