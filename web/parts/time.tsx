import { moment, since } from '../text/format.ts';

/** A moment as the time since, with the date and time on hover. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={moment(at)} className="whitespace-nowrap">
      {since(at)}
    </time>
  );
}
