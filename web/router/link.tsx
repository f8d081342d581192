import { useEffect, useRef, type AnchorHTMLAttributes } from 'react';
import { Link as Anchor } from 'wouter';
import type { Path } from './addresses.ts';
import { parts } from './parts.ts';
import { usePlace, type Place } from './place.ts';
import { parseQuery } from './query.ts';
import { addressOf, type Target } from './target.ts';

type Attributes = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'>;
type LinkProps<P extends Path | '.'> = Attributes & Target<P>;

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
export function PlainLink({ href, ...rest }: Attributes & { readonly href: string }) {
  const place = usePlace();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const rested = (): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void parts.prepare(href), restMs);
  };
  return (
    <Anchor
      aria-current={isAt(href, place) ? 'page' : undefined}
      {...rest}
      href={href}
      onPointerEnter={rested}
      onPointerLeave={() => clearTimeout(timer.current)}
      onFocus={rested}
      onTouchStart={() => void parts.prepare(href)}
    />
  );
}

/** A link to a page with its parameters. */
export function Link<const P extends Path | '.'>({ to, params, search, ...rest }: LinkProps<P>) {
  return <PlainLink {...rest} href={addressOf({ to, params, search }, usePlace())} />;
}
