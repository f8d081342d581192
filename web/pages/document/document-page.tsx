import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { read } from '../../api/read.ts';
import { Page } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { titleOf } from '../documents/document-card.tsx';
import { PageSide, type Detail } from './page-side.tsx';
import { createLit, usePlace } from './place.ts';
import { pageOf, useDocumentText } from './read-text.ts';

const route = getRouteApi('/documents/$id');

function Document({ document, onExpired }: { readonly document: Detail; readonly onExpired: () => void }) {
  const place = usePlace();
  const text = useDocumentText(document.id);
  const lit = useMemo(() => createLit(), []);
  const page = pageOf(text.data?.results[0]?.result.pages, place.page);
  return (
    <Page title={titleOf(document)}>
      <div className="h-[80dvh]">
        <PageSide {...{ document, place, lit, onExpired }} text={page} marks={[]} />
      </div>
    </Page>
  );
}

/** One document: its pages beside what was read from them. */
export function DocumentPage() {
  const { id } = route.useParams();
  const document = useQuery(read('documents', 'get', { params: { id } }));
  return (
    <Loaded query={document} lines={8}>
      {(one) => <Document key={one.id} document={one} onExpired={() => void document.refetch()} />}
    </Loaded>
  );
}
