import { useEffect, useRef, type AnchorHTMLAttributes, type MouseEvent } from 'react';
import { useStore } from '../state/store.ts';
import type { Path } from './addresses.ts';
import { addressOf, type Target } from './target.ts';
import { router, shown, type Place } from './place.ts';
import { parseQuery } from './query.ts';

type Anchor = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'>;
type LinkProps<P extends Path | '.'> = Anchor & Target<P>;

/** Milliseconds that a pointer rests on a link before its page is prepared. */
const restMs = 50;

/** True: the address is the page that shows, or one above it, and asks for nothing that does not show. */
function isAt(href: string, { path, raw }: Place): boolean {
  const [own = '', query = ''] = href.split('?');
  const asked = Object.entries(parseQuery(query));
  return (
    (path === own || (own !== '/' && path.startsWith(`${own}/`))) && asked.every(([name, value]) => raw[name] === value)
  );
}

/** A link to an address of the dashboard. Its page is prepared when a pointer rests on it, a finger touches it, or it gets the focus. */
export function PlainLink({ href, onClick, ...rest }: Anchor & { readonly href: string }) {
  const { place } = useStore(shown);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const rested = (): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => router.prepare(href), restMs);
  };
  const click = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    const isOther = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (event.defaultPrevented || isOther) return;
    event.preventDefault();
    clearTimeout(timer.current);
    router.move(href);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/anchor-has-content -- its content is among `rest`
    <a
      aria-current={isAt(href, place) ? 'page' : undefined}
      {...rest}
      href={href}
      onClick={click}
      onPointerEnter={rested}
      onPointerLeave={() => clearTimeout(timer.current)}
      onFocus={rested}
      onTouchStart={() => router.prepare(href)}
    />
  );
}

/** A link to a page with its parameters. */
export function Link<const P extends Path | '.'>({ to, params, search, ...rest }: LinkProps<P>) {
  const { place } = useStore(shown);
  return <PlainLink {...rest} href={addressOf({ to, params, search }, place)} />;
}
