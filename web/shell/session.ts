import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { navigate, useAnySearch } from '../router/navigate.ts';
import { read } from '../api/read.ts';
import { shell } from '../text/shell.ts';

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

/** Names of people by the ids of users and members. Programs, keys and people who left keep their ids. */
export function useAuthorName(): (id: string) => string {
  const { credential } = useSession();
  const members = useQuery({
    ...read('organization', 'members', {}),
    enabled: useCan('members:read'),
    staleTime: 5 * 60_000,
  });
  return (id) => {
    if ('id' in credential && id === credential.id) return shell.you;
    return members.data?.members.find((one) => one.userId === id || one.memberId === id)?.name ?? id;
  };
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
