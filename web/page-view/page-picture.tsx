import { useEffect, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Picture } from './picture.tsx';
import { pageView as words } from '../text/page-view.ts';
import { shell } from '../text/shell.ts';
import { turnedSize, turnedStyle, type Size, type Turn } from './geometry.ts';

/** Pixels across that the server makes pictures of. Source: `w` of page images. */
const widths = [400, 800, 1_200, 1_600, 2_000];

interface PagePictureProps {
  readonly url: string;
  readonly page: number;
  readonly size: Size;
  readonly turn: Turn;
  /** Pixels of the screen per unit of the page. */
  readonly scale: number;
  readonly onSize: (natural: Size) => void;
  readonly onFailed: () => void;
}

/** The picture of one page, in the size that the zoom needs: a larger one replaces it when it is there. */
export function PagePicture({ url, page, size, turn, scale, onSize, onFailed }: PagePictureProps) {
  const upright = turnedSize(size, turn);
  const needed = upright.width * scale * Math.min(2, devicePixelRatio);
  const fits = widths.find((width) => width >= needed * 0.9) ?? widths.at(-1) ?? 1_600;
  const [largest, grow] = useState(fits);
  useEffect(() => {
    const timer = setTimeout(() => grow((before) => Math.max(before, fits)), 150);
    return () => clearTimeout(timer);
  }, [fits]);
  return (
    <Picture
      src={`${url}&w=${largest}`}
      alt={words.picture(page + 1)}
      draggable={false}
      onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
        onSize(turnedSize({ width, height }, turn))
      }
      onError={onFailed}
      className="absolute max-w-none bg-[white] outline outline-line select-none"
      style={turnedStyle(upright, turn)}
    />
  );
}

/** In place of a picture that did not load: its address may have expired. */
export function PictureFailed({ onRetry }: { readonly onRetry: (() => void) | undefined }) {
  return (
    <div role="alert" className="absolute inset-0 grid place-content-center justify-items-center gap-2 text-muted">
      <p>{words.imageFailed}</p>
      {onRetry !== undefined && (
        <Button size="small" onClick={onRetry}>
          {shell.retry}
        </Button>
      )}
    </div>
  );
}
