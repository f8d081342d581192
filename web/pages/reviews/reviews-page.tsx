import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import { useMemo } from 'react';
import { pages, read } from '../../api/read.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Failure, Loaded, Skeleton } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { reviews as words } from '../../text/runs.ts';
import { titleOf } from '../documents/card.ts';
import { QuestionForm } from './question-form.tsx';

const route = getRouteApi('/reviews');

/** The document that a question is about, beside its form. */
function Review({
  runId,
  documentId,
  onDone,
}: {
  readonly runId: string;
  readonly documentId: string;
  readonly onDone: () => void;
}) {
  const run = useQuery(read('runs', 'get', { params: { id: runId } }));
  const document = useQuery(read('documents', 'get', { params: { id: documentId } }));
  return (
    <div className="grid gap-4 xl:grid-cols-2">
      <Loaded query={document} lines={10}>
        {(one) => (
          <figure className="min-w-0">
            <img
              src={one.pageImages[0]?.url}
              alt=""
              className="max-h-[75dvh] w-full rounded-lg border border-line bg-panel object-contain"
            />
            <figcaption className="mt-2 flex items-center justify-between gap-2">
              <span className="truncate" dir="auto">
                {titleOf(one)}
              </span>
              <Link to="/documents/$id" params={{ id: documentId }} className={buttonClass('usual', 'small')}>
                {words.openDocument}
              </Link>
            </figcaption>
          </figure>
        )}
      </Loaded>
      <Loaded query={run} lines={5}>
        {(one) => (
          <div className="grid content-start gap-3">
            {one.waitingFor?.map((question) => (
              <QuestionForm key={question.path} runId={runId} question={question} onDone={onDone} />
            ))}
          </div>
        )}
      </Loaded>
    </div>
  );
}

/** Questions that runs wait for, one after the other: the document on one side, the answer on the other. */
export function ReviewsPage() {
  const { run } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(pages('runs', 'list', { query: { status: 'waiting', limit: 50 } }));
  const waiting = useMemo(() => list.data?.pages.flatMap(({ runs }) => runs) ?? [], [list.data]);
  const at = Math.max(
    0,
    waiting.findIndex(({ runId }) => runId === run),
  );
  const chosen = waiting[at];
  const move = useMemo(
    () => (by: number) => {
      const next = waiting[(at + by + waiting.length) % Math.max(1, waiting.length)];
      void navigate({ search: (old) => ({ ...old, run: next?.runId }), replace: true });
    },
    [at, navigate, waiting],
  );
  useShortcuts(
    useMemo(
      () => [
        { keys: 'j', words: words.shortcutNext, run: () => move(1) },
        { keys: 'k', words: words.shortcutPrevious, run: () => move(-1) },
      ],
      [move],
    ),
  );
  return (
    <Page title={words.title} lead={waiting.length === 0 ? words.lead : words.waiting(waiting.length)}>
      {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton lines={8} />}
      {list.isSuccess && chosen === undefined && (
        <Empty title={words.emptyTitle} icon={<Inbox size={36} aria-hidden />}>
          {words.empty}
        </Empty>
      )}
      {chosen !== undefined && (
        <div className="grid gap-5 lg:grid-cols-[16rem_1fr]">
          <ol className="grid content-start gap-1 max-lg:max-h-40 max-lg:overflow-y-auto">
            {waiting.map(({ runId, waitingFor, createdAt }) => (
              <li key={runId}>
                <Link
                  to="/reviews"
                  search={(old) => ({ ...old, run: runId })}
                  aria-current={runId === chosen.runId ? 'true' : undefined}
                  className="grid gap-0.5 rounded-md border border-transparent px-2.5 py-1.5 hover:bg-hover aria-[current=true]:border-line aria-[current=true]:bg-panel"
                >
                  <span className="line-clamp-2" dir="auto">
                    {waitingFor?.[0]?.promptText ?? runId}
                  </span>
                  <span className="text-xs text-muted">
                    <Time at={createdAt} />
                  </span>
                </Link>
              </li>
            ))}
          </ol>
          <Review key={chosen.runId} runId={chosen.runId} documentId={chosen.documentId} onDone={() => move(1)} />
        </div>
      )}
    </Page>
  );
}
