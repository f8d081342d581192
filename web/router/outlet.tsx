import { Component, useEffect, useLayoutEffect, type ComponentType, type ReactNode } from 'react';
import { Skeleton } from '../parts/states.tsx';
import { useStore } from '../state/store.ts';
import { match } from './addresses.ts';
import { parts } from './parts.ts';
import { hrefOf, scrolledTo, useEntryKey, usePlace } from './place.ts';

export interface FailureProps {
  readonly error: unknown;
  readonly reset: () => void;
}

interface BoundaryProps {
  readonly at: string;
  readonly failed: ComponentType<FailureProps>;
  readonly children: ReactNode;
}

/** Shows `failed` in place of a page that threw, until the address changes. */
class Boundary extends Component<BoundaryProps, { readonly error: unknown; readonly hasFailed: boolean }> {
  override state = { error: null as unknown, hasFailed: false };
  static getDerivedStateFromError = (error: unknown) => ({ error, hasFailed: true });
  readonly reset = (): void => this.setState({ error: null, hasFailed: false });

  override componentDidUpdate({ at }: BoundaryProps): void {
    if (at !== this.props.at && this.state.hasFailed) this.reset();
  }

  override render(): ReactNode {
    const { failed: Failed, children } = this.props;
    return this.state.hasFailed ? <Failed error={this.state.error} reset={this.reset} /> : children;
  }
}

/** Frames within which a list is as high again as it was. */
const mostFrames = 30;

/** Scrolls the window, once the page is high enough for it. Returns what ends this. */
function scrollWindow(top: number): () => void {
  let frame = 0;
  let left = mostFrames;
  const scroll = (): void => {
    scrollTo(0, top);
    left -= 1;
    if (scrollY < top - 1 && left > 0) frame = requestAnimationFrame(scroll);
  };
  scroll();
  return () => cancelAnimationFrame(frame);
}

interface OutletProps {
  readonly failed: ComponentType<FailureProps>;
  readonly notFound: ComponentType;
}

/** The page of the address. */
export function Outlet({ failed: Failed, notFound: NotFound }: OutletProps) {
  const place = usePlace();
  const page = match(place.path)?.page;
  const loaded = useStore(parts.loaded);
  const key = useEntryKey();
  const at = hrefOf(place);
  // An address that was opened or gone back to, without a link.
  useEffect(() => void parts.arriving(at), [at]);
  useLayoutEffect(() => scrollWindow(scrolledTo(key)), [key]);
  if (page === undefined) return <NotFound />;
  const found = loaded.get(page);
  if (found === undefined) return <Skeleton lines={8} />;
  if ('error' in found) return <Failed error={found.error} reset={() => location.reload()} />;
  return (
    <Boundary at={at} failed={Failed}>
      <found.Page />
    </Boundary>
  );
}
