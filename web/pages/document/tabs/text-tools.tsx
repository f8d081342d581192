import { Link2, SearchX } from 'lucide-react';
import { useMemo } from 'react';
import { boxAround, boxText } from '../../../page-view/geometry.ts';
import { selectedWords } from '../../../page-view/selection.ts';
import type { WordAt } from '../../../page-view/words.ts';
import { Button } from '../../../parts/button.tsx';
import { Copy } from '../../../parts/copy.tsx';
import { toast } from '../../../parts/toast.tsx';
import { useLatest } from '../../../state/latest.ts';
import { useShortcuts } from '../../../shell/shortcuts.ts';
import { document as words } from '../../../text/document.ts';
import { doubtfulWords, nextDoubtful } from '../read-text.ts';
import type { Reading } from '../reading.ts';

/** Copies an address that leads to the selected words of this page. */
async function copyLink({ text, place }: Reading): Promise<void> {
  const box = boxAround(selectedWords(text?.lines ?? []).map((word) => word.box));
  if (box === null) {
    toast(words.selectFirst);
    return;
  }
  const link = new URL(location.pathname, location.origin);
  if (place.page > 0) link.searchParams.set('page', String(place.page));
  link.searchParams.set('box', boxText(box));
  await navigator.clipboard.writeText(link.href);
  toast(words.linkCopied);
}

/** Copies the text or a link, and walks through the words that need a look. */
export function TextTools({
  reading,
  onShow,
}: {
  readonly reading: Reading;
  readonly onShow: (at: WordAt | null) => void;
}) {
  const { text, lit } = reading;
  const lines = useMemo(() => text?.lines ?? [], [text]);
  const doubts = doubtfulWords(lines).length;
  const goOn = (): void => {
    const next = nextDoubtful(lines, lit.get());
    if (next === undefined) return;
    lit.set(next);
    onShow(next);
  };
  useShortcuts(useNextKey(goOn));
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Copy text={text?.text ?? ''} label={words.copyPage} />
      <Button
        size="small"
        icon={<Link2 size={14} aria-hidden />}
        // The press would take the selection away before the click.
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => void copyLink(reading)}
      >
        {words.copyLink}
      </Button>
      {doubts > 0 && (
        <Button size="small" icon={<SearchX size={14} aria-hidden />} onClick={goOn}>
          {words.nextDoubtful}
        </Button>
      )}
      <span className="text-xs text-muted">{doubts > 0 ? words.doubtful(doubts) : words.noDoubtful}</span>
    </div>
  );
}

/** The list of one shortcut, with the same identity while what it does changes. */
function useNextKey(run: () => void) {
  const latest = useLatest(run);
  return useMemo(() => [{ keys: '.', words: words.nextDoubtful, run: () => latest.current() }], [latest]);
}
