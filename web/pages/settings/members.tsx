import { useQuery } from '@tanstack/react-query';
import { UserMinus, UserPlus, X } from 'lucide-react';
import { useState } from 'react';
import type { Reply } from '../../api/families.ts';
import { fieldErrors } from '../../api/problem.ts';
import { read } from '../../api/read.ts';
import { useChange } from '../../api/use-change.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { inputClass } from '../../parts/input-class.ts';
import { Loaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useCan, useSession } from '../../shell/session.ts';
import { settings as words } from '../../text/settings.ts';
import { RemoveMember } from './remove-member.tsx';

const roles = ['viewer', 'editor', 'admin', 'owner'] as const;
type Member = Reply<'organization', 'members'>['members'][number];
const outdated = [['organization']];

function roleOptions() {
  return roles.map((role) => (
    <option key={role} value={role}>
      {words.roles[role]}
    </option>
  ));
}

function Invite({ onClose }: { readonly onClose: () => void }) {
  const invite = useChange('organization', 'invite', { outdated, showsError: true });
  const errors = fieldErrors(invite.error);
  if (invite.data !== undefined)
    return (
      <Dialog title={words.invited} onClose={onClose}>
        <p className="mb-2">{invite.data.mailed ? words.mailed : words.inviteLink}</p>
        <code className="mb-3 block rounded-md bg-bg p-2 text-xs">{invite.data.url}</code>
        <Copy text={invite.data.url} />
      </Dialog>
    );
  return (
    <Dialog title={words.invite} onClose={onClose}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const role = roles.find((one) => one === form.get('role')) ?? 'viewer';
          invite.mutate({ body: { email: form.get('email') as string, role } });
        }}
      >
        <TextField
          name="email"
          type="email"
          required
          label={words.email}
          error={errors['email'] ?? (invite.error === null ? undefined : invite.error.message)}
        />
        <SelectField name="role" label={words.role} hint={words.roleHint}>
          {roleOptions()}
        </SelectField>
        <Button type="submit" look="primary" busy={invite.isPending} className="justify-self-end">
          {words.invite}
        </Button>
      </form>
    </Dialog>
  );
}

function Invitations() {
  const list = useQuery(read('organization', 'invitations', {}));
  const cancel = useChange('organization', 'cancelInvitation', { outdated, done: words.canceled });
  if (list.data === undefined || list.data.invitations.length === 0) return null;
  return (
    <section className="mt-6">
      <h2 className="mb-2">{words.invitations}</h2>
      <Table heads={[words.email, words.role, words.expires, '']}>
        {list.data.invitations.map(({ invitationId, email, role, expiresAt }) => (
          <tr key={invitationId}>
            <td>{email}</td>
            <td>{words.roles[role]}</td>
            <td>
              <Time at={expiresAt} />
            </td>
            <td className="number">
              <IconButton
                size="small"
                label={words.cancelInvitation(email)}
                onClick={() => cancel.mutate({ params: { invitationId } })}
              >
                <X size={14} aria-hidden />
              </IconButton>
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

/** People of the organization and their roles. */
export function MembersSection() {
  const { credential } = useSession();
  const canManage = useCan('members:manage');
  const list = useQuery(read('organization', 'members', {}));
  const [isInviting, setInviting] = useState(false);
  const [leaving, setLeaving] = useState<Member | null>(null);
  const change = useChange('organization', 'changeRole', { outdated, done: words.roleChanged });
  return (
    <Loaded query={list}>
      {({ members }) => (
        <>
          {canManage && (
            <Button className="mb-3" icon={<UserPlus size={14} aria-hidden />} onClick={() => setInviting(true)}>
              {words.invite}
            </Button>
          )}
          <Table heads={[words.name, words.email, words.role, words.since, '']}>
            {members.map((member) => (
              <tr key={member.memberId}>
                <td dir="auto">{member.name}</td>
                <td>{member.email}</td>
                <td>
                  {canManage && member.userId !== credential.id ? (
                    <select
                      aria-label={words.roleOf(member.name)}
                      className={`${inputClass} w-auto`}
                      value={member.role}
                      onChange={({ currentTarget: { value } }) => {
                        const role = roles.find((one) => one === value);
                        if (role !== undefined)
                          change.mutate({ params: { memberId: member.memberId }, body: { role } });
                      }}
                    >
                      {roleOptions()}
                    </select>
                  ) : (
                    words.roles[member.role]
                  )}
                </td>
                <td className="text-muted">
                  <Time at={member.createdAt} />
                </td>
                <td className="number">
                  {canManage && member.userId !== credential.id && (
                    <IconButton size="small" label={words.removeMember(member.name)} onClick={() => setLeaving(member)}>
                      <UserMinus size={14} aria-hidden />
                    </IconButton>
                  )}
                </td>
              </tr>
            ))}
          </Table>
          {canManage && <Invitations />}
          {isInviting && <Invite onClose={() => setInviting(false)} />}
          {leaving !== null && <RemoveMember member={leaving} onClose={() => setLeaving(null)} />}
        </>
      )}
    </Loaded>
  );
}
