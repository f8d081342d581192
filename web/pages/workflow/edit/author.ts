import { useQuery } from '@tanstack/react-query';
import { read } from '../../../api/read.ts';
import { useCan, useSession } from '../../../shell/session.ts';
import { workflows as words } from '../../../text/workflows.ts';

/** Names of people by their ids, for histories of edits. Programs and keys keep their ids. */
export function useAuthorName(): (id: string) => string {
  const { credential } = useSession();
  const canSee = useCan('members:read');
  const members = useQuery({ ...read('organization', 'members', {}), enabled: canSee, staleTime: 5 * 60_000 });
  return (id) => {
    if ('id' in credential && id === credential.id) return words.you;
    const found = members.data?.members.find((one) => one.userId === id);
    return found?.name ?? id;
  };
}
