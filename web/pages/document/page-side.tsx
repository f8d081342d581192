import { useSyncExternalStore } from 'react';
import type { Turn } from '../../page-view/geometry.ts';
import type { PageBox } from '../../page-view/overlay.tsx';
import { PageView } from '../../page-view/page-view.tsx';
import { useStore } from '../../state/store.ts';
import { doubtfulWords } from './read-text.ts';
import type { Reading } from './reading.ts';

interface PageSideProps {
  readonly reading: Reading;
  readonly onExpired: () => void;
}

/** The page itself: its picture with the lit word, doubtful words and the places that a tab marks. */
export function PageSide({ reading: { document, place, text, lit, marks }, onExpired }: PageSideProps) {
  const at = useSyncExternalStore(lit.subscribe, lit.get);
  const marked = useStore(marks).filter((mark) => mark.page === place.page);
  const lines = text?.lines ?? [];
  const word = at === null ? undefined : lines[at.line]?.words[at.word];
  const doubts = doubtfulWords(lines).flatMap(({ line, word: index }): PageBox[] => {
    const found = lines[line]?.words[index];
    return found === undefined ? [] : [{ box: found.box, tone: 'doubt' }];
  });
  const boxes = [...marked, ...doubts, ...(word === undefined ? [] : [{ box: word.box }])];
  const { page, target, toPage, toBox } = place;
  const firstSize = page === 0 ? { width: document.width, height: document.height } : undefined;
  return (
    <PageView
      hasKeys
      fit="width"
      url={document.pageImages.find((one) => one.page === page)?.url}
      pages={document.pages}
      size={text === undefined ? firstSize : { width: text.width, height: text.height }}
      turn={(text?.rotation ?? 0) as Turn}
      {...{ page, lines, boxes, target, onExpired }}
      onPage={toPage}
      onWord={lit.set}
      onPress={({ line, word: index }) => {
        const found = lines[line]?.words[index];
        if (found !== undefined && getSelection()?.isCollapsed !== false) toBox(page, found.box);
      }}
      className="h-full"
    />
  );
}
