import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { read } from '../../api/read.ts';
import { Page } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { titleOf } from '../documents/document-card.tsx';

const route = getRouteApi('/documents/$id');

/** One document: its pages beside what was read from them. */
export function DocumentPage() {
  const { id } = route.useParams();
  const { page = 0 } = route.useSearch();
  const document = useQuery(read('documents', 'get', { params: { id } }));
  return (
    <Loaded query={document} lines={8}>
      {(one) => (
        <Page title={titleOf(one)} lead={one.description}>
          <img src={one.pageImages[page]?.url} alt="" className="max-h-[80dvh] rounded-lg border border-line" />
        </Page>
      )}
    </Loaded>
  );
}
