import { useEffect, useEffectEvent, useMemo, useRef, useState, type PointerEvent } from 'react';
import { turnBox, turnedSize, turnedStyle, turnPoint, addTurns, type Box, type Size, type Turn } from './geometry.ts';
import { Boxes, TextLayer, type PageBox } from './overlay.tsx';
import { PagePicture, PictureFailed } from './page-picture.tsx';
import { PageTools } from './page-tools.tsx';
import { pageView as texts } from '../text/page-view.ts';
import { useKeys, useViewKeys } from './use-keys.ts';
import { usePointers } from './use-pointers.ts';
import { useView, type Fit } from './use-view.ts';
import { isSame, wordAt, type TextLine, type WordAt } from './words.ts';

/** Everything is measured on the page as it was read: `turn` degrees clockwise from its picture. */
export interface PageViewProps {
  /** Signed URL of the page's picture, as `pageImages` has it. Undefined: there is none. */
  readonly url: string | undefined;
  /** Index of the page, and their number. */
  readonly page?: number;
  readonly pages?: number;
  /** Shows another page. Without it there are no buttons and keys for pages. */
  readonly onPage?: (page: number) => void;
  /** Pixels of the page, of which only the ratio counts. Until it is known, that of the picture is used. */
  readonly size?: Size | undefined;
  /** `rotation` of the page's OCR result: lines, words and boxes are fractions of the turned page. */
  readonly turn?: Turn;
  /** Recognized lines: selectable, found by the browser's search, and what `onWord` tells about. */
  readonly lines?: readonly TextLine[];
  /** Marked places. */
  readonly boxes?: readonly PageBox[];
  /** A place to scroll to, which flashes. */
  readonly target?: Box | undefined;
  /** The word below the pointer; null when there is none. */
  readonly onWord?: (word: WordAt | null) => void;
  /** The word was pressed. */
  readonly onPress?: (word: WordAt) => void;
  /** Reads new URLs, where this one has expired. */
  readonly onExpired?: () => void;
  /** True: takes the keys + - 0 f r n p. One view of a screen may. */
  readonly hasKeys?: boolean;
  readonly fit?: Fit;
  readonly className?: string;
}

const noLines: readonly TextLine[] = [];
const noBoxes: readonly PageBox[] = [];
const unknown: Size = { width: 1_000, height: 1_414 };

function Stage({
  props,
  placing,
  size,
  turned,
  onSize,
}: {
  readonly props: PageViewProps;
  readonly placing: ReturnType<typeof useView>;
  readonly size: Size;
  readonly turned: Turn;
  readonly onSize: (size: Size) => void;
}) {
  const { url, page = 0, turn = 0, lines = noLines, boxes = noBoxes, target, onExpired } = props;
  const [failed, fail] = useState<string | null>(null);
  const { view } = placing;
  if (view === null) return null;
  if (url === undefined)
    return <p className="absolute inset-0 grid place-content-center text-muted">{texts.noPicture}</p>;
  if (failed === url) return <PictureFailed onRetry={onExpired} />;
  const marked = target === undefined ? boxes : [...boxes, { box: target, isFlashing: true }];
  return (
    <div
      className="absolute start-0 top-0"
      // Paper is white in the dark too: what is drawn on it keeps the colours of the light theme.
      style={{
        colorScheme: 'light',
        transformOrigin: '0 0',
        transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})`,
      }}
      dir="ltr"
    >
      <div className="absolute" style={turnedStyle(size, turned)}>
        <PagePicture key={page} {...{ url, page, size, turn, onSize }} scale={view.scale} onFailed={() => fail(url)} />
        <svg
          className="absolute inset-0 overflow-visible"
          viewBox={`0 0 ${size.width} ${size.height}`}
          width={size.width}
          height={size.height}
        >
          <TextLayer lines={lines} size={size} />
          <Boxes boxes={marked} size={size} />
        </svg>
      </div>
    </div>
  );
}

/**
 * One page of a document: zooms, turns, marks places and tells the word below the pointer. Only the picture of this page is loaded.
 * The parent gives it a height.
 */
export function PageView(props: PageViewProps) {
  const { page = 0, pages = 1, size: given, target, onPage, fit = 'width', className = '' } = props;
  const element = useRef<HTMLDivElement>(null);
  const [natural, setNatural] = useState<{ page: number; size: Size } | null>(null);
  const [rotation, rotate] = useState<Turn>(0);
  const size = useMemo(() => given ?? (natural?.page === page ? natural.size : unknown), [given, natural, page]);
  const placing = useView(element, { index: page, size: turnedSize(size, rotation) }, fit);
  const pointers = usePointers(element, placing);
  const lit = useRef<WordAt | null>(null);
  const { room } = placing;
  const hasRoom = room !== null;
  const goal = useMemo(
    () => (target === undefined || !hasRoom ? null : { box: target, size, page }),
    [target, hasRoom, size, page],
  );
  const seek = useEffectEvent((box: Box) => placing.show(turnBox(box, rotation)));
  useEffect(() => {
    if (goal !== null) seek(goal.box);
  }, [goal]);
  const onRotate = (): void => {
    rotate((now) => addTurns(now, 90));
    placing.setFit('page');
  };
  const keys = useViewKeys({ placing, page, pages, onPage, onRotate });
  useKeys(keys, props.hasKeys === true);
  const wordBelow = (event: PointerEvent): WordAt | null => {
    const from = element.current?.getBoundingClientRect();
    const { view } = placing;
    if (from === undefined || view === null) return null;
    const whole = turnedSize(size, rotation);
    const at = {
      x: (event.clientX - from.left - view.x) / view.scale / whole.width,
      y: (event.clientY - from.top - view.y) / view.scale / whole.height,
    };
    return wordAt(props.lines ?? noLines, turnPoint(at, addTurns(0, -rotation)));
  };
  const light = (word: WordAt | null): void => {
    if (isSame(word, lit.current)) return;
    lit.current = word;
    props.onWord?.(word);
  };
  return (
    <div className={`flex min-h-0 flex-col overflow-hidden rounded-lg border border-line bg-bg ${className}`}>
      <PageTools {...{ placing, page, pages, onPage, onRotate }} />
      <div
        ref={element}
        role="group"
        aria-label={texts.view}
        tabIndex={0}
        {...pointers}
        onPointerMove={(event) => {
          pointers.onPointerMove(event);
          if (props.onWord !== undefined) light(wordBelow(event));
        }}
        onPointerLeave={() => light(null)}
        onClick={(event) => {
          const word = props.onPress === undefined ? null : wordBelow(event as unknown as PointerEvent);
          if (word !== null) props.onPress?.(word);
        }}
        onKeyDown={keys.onArrow}
        className={`relative min-h-0 flex-1 overflow-hidden overscroll-contain ${placing.isFitting ? 'touch-pan-y' : 'touch-none'} cursor-grab active:cursor-grabbing`}
      >
        <Stage
          {...{ props, placing, size }}
          turned={rotation}
          onSize={(loaded) => setNatural({ page, size: loaded })}
        />
      </div>
    </div>
  );
}
