import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '../../router/link.tsx';
import { pageAt } from '../../router/navigate.ts';
import { Inbox } from 'lucide-react';
import { useMemo } from 'react';
import type { Reply } from '../../api/families.ts';
import { pages } from '../../api/read.ts';
import { Badge } from '../../parts/badge.tsx';
import { buttonClass } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Failure, Skeleton } from '../../parts/states.tsx';
import { Picture } from '../../page-view/picture.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { useProject } from '../../shell/session.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { reviews as words } from '../../text/runs.ts';
import { titleOf } from '../documents/card.ts';
import { QuestionForm } from './question-form.tsx';
import { RecordReview } from './record-review.tsx';
import { kinds } from './search.ts';

const route = pageAt('/reviews');
type Review = Reply<'operators', 'reviews'>['reviews'][number];

const shortOf = (review: Review): string =>
  review.kind === 'question' ? (review.run.questions[0]?.promptText ?? '') : (review.record.problems[0]?.detail ?? '');

/** The page that a review is about, beside its form. */
function ReviewPanel({ review, onDone }: { readonly review: Review; readonly onDone: () => void }) {
  const { document, page, pageUrl } = review;
  const title = titleOf(document);
  return (
    <div className="grid grid-cols-1 gap-4 xl:grid-cols-2">
      <figure className="min-w-0">
        {pageUrl !== null && (
          <Picture
            src={`${pageUrl}${pageUrl.includes('?') ? '&' : '?'}w=1200`}
            alt={words.pageOf(title)}
            className="max-h-[75dvh] min-h-64 w-full rounded-lg border border-line bg-panel object-contain"
          />
        )}
        <figcaption className="mt-2 flex items-center justify-between gap-2">
          <span className="truncate" dir="auto">
            {title}
          </span>
          <Link
            to="/documents/$id"
            params={{ id: document.documentId }}
            search={{ page: page ?? undefined }}
            className={buttonClass('usual', 'small')}
          >
            {words.openDocument}
          </Link>
        </figcaption>
      </figure>
      <div className="grid content-start gap-3">
        {review.kind === 'question' ? (
          review.run.questions.map((question) => (
            <QuestionForm key={question.path} runId={review.run.runId} question={question} onDone={onDone} />
          ))
        ) : (
          <RecordReview record={review.record} onDone={onDone} />
        )}
      </div>
    </div>
  );
}

function ReviewItem({ review, isChosen }: { readonly review: Review; readonly isChosen: boolean }) {
  return (
    <Link
      to="/reviews"
      search={(old) => ({ ...old, item: review.id })}
      aria-current={isChosen ? 'true' : undefined}
      className="grid gap-1 rounded-md border border-transparent px-2.5 py-2 hover:bg-hover aria-[current=true]:border-line aria-[current=true]:bg-panel"
    >
      <span className="truncate font-medium" dir="auto">
        {titleOf(review.document)}
      </span>
      <span className="line-clamp-2 text-xs text-muted" dir="auto">
        {shortOf(review)}
      </span>
      <span className="flex items-center gap-2 text-xs text-muted">
        <Badge tone={review.kind === 'question' ? 'info' : 'warn'}>{words.kinds[review.kind]}</Badge>
        <Time at={review.createdAt} />
      </span>
    </Link>
  );
}

/** Everything that waits for a person, oldest first: the page on one side, the answer on the other, then the next by itself. */
export function ReviewsPage() {
  const { item, kind } = route.useSearch();
  const { navigate } = route;
  const { id: projectId } = useProject();
  const list = useInfiniteQuery(pages('operators', 'reviews', { query: { projectId, kind, limit: 50 } }));
  const waiting = useMemo(() => list.data?.pages.flatMap(({ reviews }) => reviews) ?? [], [list.data]);
  const counts = list.data?.pages[0]?.counts;
  const at = Math.max(
    0,
    waiting.findIndex(({ id }) => id === item),
  );
  const chosen = waiting[at];
  const move = useMemo(
    () => (by: number) => {
      const next = waiting[(at + by + waiting.length) % Math.max(1, waiting.length)];
      navigate({ search: (old) => ({ ...old, item: next?.id }), replace: true });
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
  const countOf = { all: undefined, question: counts?.question, record: counts?.record };
  return (
    <Page title={words.title} lead={words.lead}>
      <Tabs
        label={words.title}
        tabs={(['all', ...kinds] as const).map((name) => ({ name, label: words.tabs[name], count: countOf[name] }))}
        chosen={kind ?? 'all'}
        onChoose={(name) =>
          navigate({
            search: (old) => ({ ...old, item: undefined, kind: name === 'all' ? undefined : name }),
            replace: true,
          })
        }
      >
        {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
        {list.isPending && <Skeleton lines={8} />}
        {list.isSuccess && chosen === undefined && (
          <Empty title={words.emptyTitle} icon={<Inbox size={36} aria-hidden />}>
            {words.empty}
          </Empty>
        )}
        {chosen !== undefined && (
          <div className="grid grid-cols-1 gap-5 lg:grid-cols-[17rem_minmax(0,1fr)]">
            <ol className="grid grid-cols-1 content-start gap-1 max-lg:max-h-56 max-lg:overflow-y-auto">
              {waiting.map((review) => (
                <li key={review.id}>
                  <ReviewItem review={review} isChosen={review.id === chosen.id} />
                </li>
              ))}
            </ol>
            <ReviewPanel key={chosen.id} review={chosen} onDone={() => move(1)} />
          </div>
        )}
      </Tabs>
    </Page>
  );
}
