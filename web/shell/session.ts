import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { navigate, useAnySearch } from '../router/navigate.ts';
import { read } from '../api/read.ts';

/** The person, their organization, projects, scopes, models and limits. Read before any page shows. */
export const contextQuery = { ...read('runs', 'context', {}), staleTime: 5 * 60_000 };

export function useSession() {
  return useSuspenseQuery(contextQuery).data;
}

/** True when the person's role allows what needs `scope`. The server decides; this hides what it would refuse. */
export function useCan(scope: string): boolean {
  const { data } = useQuery(contextQuery);
  return data?.scopes.some((one) => one === scope) ?? false;
}

/** The chosen project: `id` is undefined for all. `one` is the chosen project, or the first, for what needs a single one. */
export function useProject() {
  const { projects } = useSession();
  const { project } = useAnySearch();
  const chosen = projects.find(({ id }) => id === project);
  return {
    id: chosen?.id,
    one: chosen ?? projects[0],
    choose: (id: string | undefined) =>
      navigate({ to: '.', search: (old) => ({ ...old, project: id }), replace: true }),
  };
}
