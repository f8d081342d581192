import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { toast, toastError } from '../parts/toast.tsx';
import { call } from './client.ts';
import type { Family, Input, Reply, Row } from './families.ts';
import { Problem } from './problem.ts';

interface Options<Answer> {
  /** Queries that the change makes old. */
  readonly outdated: readonly QueryKey[];
  /** Words of success. */
  readonly done?: string | ((answer: Answer) => string);
  /** True: a form shows the error beside its field. */
  readonly showsError?: boolean;
  readonly onDone?: (answer: Answer) => void;
}

/** Leads to the page that asks for the password again, and back. */
function reauthenticate(): void {
  const here = location.pathname + location.search;
  location.assign(`/reauthenticate?returnTo=${encodeURIComponent(here)}`);
}

/** A change by one row of the API: says that it is done, reads again what it made old, and asks for the password where it must. */
export function useChange<F extends Family, R extends Row<F>>(family: F, row: R, options: Options<Reply<F, R>>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: Input<F, R>) => call(family, row, input),
    onError: (error) => {
      if (error instanceof Problem && error.code === 'auth.reauthentication_required') reauthenticate();
      else if (options.showsError !== true) toastError(error);
    },
    onSuccess: (answer) => {
      for (const queryKey of options.outdated) void client.invalidateQueries({ queryKey });
      if (options.done !== undefined) toast(typeof options.done === 'function' ? options.done(answer) : options.done);
      options.onDone?.(answer);
    },
  });
}
