import { ChevronLeft, ChevronRight, MoveHorizontal, Maximize, RotateCw, ZoomIn, ZoomOut } from 'lucide-react';
import { IconButton } from '../parts/button.tsx';
import { share } from '../text/format.ts';
import { pageView as words } from '../text/page-view.ts';
import type { Placing } from './use-view.ts';

interface PageToolsProps {
  readonly placing: Placing;
  readonly page: number;
  readonly pages: number;
  readonly onPage: ((page: number) => void) | undefined;
  readonly onRotate: () => void;
}

/** Page number with its neighbours. Enter goes to the number that is typed. */
function PageNumber({
  page,
  pages,
  onPage,
}: Pick<PageToolsProps, 'page' | 'pages'> & { onPage: (at: number) => void }) {
  return (
    <form
      className="flex items-center gap-1"
      onSubmit={(event) => {
        event.preventDefault();
        const typed = Number(new FormData(event.currentTarget).get('page'));
        if (Number.isSafeInteger(typed)) onPage(Math.max(0, Math.min(pages, typed) - 1));
      }}
    >
      <IconButton size="small" label={words.previous} disabled={page === 0} onClick={() => onPage(page - 1)}>
        <ChevronLeft size={16} aria-hidden className="rtl:rotate-180" />
      </IconButton>
      <input
        key={page}
        name="page"
        inputMode="numeric"
        aria-label={words.pageNumber}
        defaultValue={page + 1}
        className="h-7 w-10 rounded-md border border-line-strong/60 bg-panel text-center"
      />
      <span className="whitespace-nowrap text-muted">{words.of(pages)}</span>
      <IconButton size="small" label={words.next} disabled={page >= pages - 1} onClick={() => onPage(page + 1)}>
        <ChevronRight size={16} aria-hidden className="rtl:rotate-180" />
      </IconButton>
    </form>
  );
}

/** Buttons for everything that the keys, the wheel and the pointer do. */
export function PageTools({ placing, page, pages, onPage, onRotate }: PageToolsProps) {
  const { zoomBy, setFit, zoom } = placing;
  return (
    <div
      role="toolbar"
      aria-label={words.tools}
      className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b border-line bg-panel px-2 py-1"
    >
      {onPage !== undefined && pages > 1 ? <PageNumber {...{ page, pages, onPage }} /> : <span />}
      <div className="flex items-center gap-0.5">
        <IconButton size="small" label={words.zoomOut} onClick={() => zoomBy(1 / 1.25)}>
          <ZoomOut size={16} aria-hidden />
        </IconButton>
        <span className="w-12 text-center text-xs text-muted">{share(Math.round(zoom * 100) / 100)}</span>
        <IconButton size="small" label={words.zoomIn} onClick={() => zoomBy(1.25)}>
          <ZoomIn size={16} aria-hidden />
        </IconButton>
        <IconButton size="small" label={words.fitWidth} onClick={() => setFit('width')}>
          <MoveHorizontal size={16} aria-hidden />
        </IconButton>
        <IconButton size="small" label={words.fitPage} onClick={() => setFit('page')}>
          <Maximize size={15} aria-hidden />
        </IconButton>
        <IconButton size="small" label={words.rotate} onClick={onRotate}>
          <RotateCw size={15} aria-hidden />
        </IconButton>
      </div>
    </div>
  );
}
