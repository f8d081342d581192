import { Component, useLayoutEffect, type ComponentType, type ReactNode } from 'react';
import { Skeleton } from '../parts/states.tsx';
import { useStore } from '../state/store.ts';
import { match } from './addresses.ts';
import { hrefOf, router, shown, type Place } from './place.ts';

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

/** Scrolls the window, once the page is high enough for it. */
function scrollWindow(top: number, place: Place, frames = mostFrames): void {
  scrollTo(0, top);
  if (scrollY >= top - 1 || frames === 0) return;
  requestAnimationFrame(() => {
    if (shown.get().place === place) scrollWindow(top, place, frames - 1);
  });
}

interface OutletProps {
  readonly failed: ComponentType<FailureProps>;
  readonly notFound: ComponentType;
}

/** The page of the address. */
export function Outlet({ failed: Failed, notFound: NotFound }: OutletProps) {
  const { place, Component: Shown, error } = useStore(shown);
  useLayoutEffect(() => {
    const top = router.takeScroll();
    if (top !== null) scrollWindow(top, place);
  });
  if (match(place.path) === null) return <NotFound />;
  if (error !== undefined) return <Failed error={error} reset={() => location.reload()} />;
  return (
    <Boundary at={hrefOf(place)} failed={Failed}>
      {Shown === undefined ? <Skeleton lines={8} /> : <Shown />}
    </Boundary>
  );
}
