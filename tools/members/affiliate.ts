import { randomBytes } from 'node:crypto';
import type { Role } from '#src/contracts/organization/member.ts';
import { AppError } from '#src/domain/app-error.ts';
import { derivedId, newId } from '#src/domain/ids.ts';
import type { Accounts, LiveSession } from '#src/domain/ports/sessions.ts';
import type { AuditLog } from '#src/stores/audit-log.ts';
import type { OrganizationStore } from '#src/stores/organizations.ts';
import type { Affiliation, Membership, WaitingInvitation } from '#src/domain/access/member.ts';
import type { Affiliations } from '#src/stores/affiliations.ts';
import type { MemberStore } from '#src/stores/members.ts';

interface Parts {
  readonly accounts: Pick<Accounts, 'choose'>;
  readonly affiliations: Affiliations;
  readonly members: Pick<MemberStore, 'membership' | 'add' | 'organizationsOf' | 'confirmRole'>;
  /** Marks the address of a user as confirmed. */
  readonly confirmAddress: (userId: string) => Promise<void>;
  readonly organizations: Pick<OrganizationStore, 'listProjects' | 'insertProject'>;
  readonly audit: Pick<AuditLog, 'during'>;
  /** Adds the default workflows that the project does not have yet. */
  seedProject(place: { organizationId: string; projectId: string }): Promise<void>;
}

/** The acting person and their address, for the audit log. */
export interface Actor {
  readonly session: LiveSession;
  readonly ip: string | null;
}

/** Records that the announced deed is done. */
type Done = (detail: Readonly<Record<string, unknown>>) => Promise<void>;

const mostOrganizations = 50;

const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-$/, '');

function unknownInvitation(): AppError {
  return new AppError(
    'invitation.not_found',
    'No pending invitation with this link is for your e-mail address. Ask for a new invitation.',
  );
}

/** Creates and selects organizations and answers invitations: the steps before a person acts for an organization. */
export class Affiliate {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  organizationsOf({ userId }: LiveSession): Promise<readonly Affiliation[]> {
    return this.#parts.affiliations.organizationsOf(userId);
  }

  /** Error: `invitation.not_found`, also for an invitation of another address. */
  async invitation(session: LiveSession, key: string): Promise<WaitingInvitation> {
    const found = await this.#waiting(session, key);
    if (found === null) throw unknownInvitation();
    return found;
  }

  async isInvited(session: LiveSession, key: string): Promise<boolean> {
    return (await this.#waiting(session, key)) !== null;
  }

  async #waiting({ userId, email }: LiveSession, key: string): Promise<WaitingInvitation | null> {
    const { affiliations } = this.#parts;
    const isVerified = await affiliations.isVerified(userId);
    const found = await affiliations.invitation(key, { email, isVerified }, new Date());
    return found === null ? null : { ...found, isProven: found.isProven || isVerified };
  }

  /**
   * Creates an organization with its founder as owner and a first project, and selects it in the session. If a crash leaves the project
   * out, the next selection or sign-in adds it. Errors: `organization.slug_taken`; `auth.forbidden` for the 51st of one person.
   */
  async create(
    { session, ip }: Actor,
    wanted: { name: string; slug?: string | undefined },
  ): Promise<{ organizationId: string; name: string; slug: string }> {
    const { affiliations, members } = this.#parts;
    if ((await members.organizationsOf(session.userId)).length >= mostOrganizations)
      throw new AppError(
        'auth.forbidden',
        `You belong to ${mostOrganizations} organizations, the maximum. Leave one and retry.`,
      );
    const createdAt = new Date();
    const organizationId = newId('organization', createdAt);
    const chance = randomBytes(4).toString('hex');
    const slug = wanted.slug ?? [slugOf(wanted.name), chance].filter((part) => part !== '').join('-');
    await this.#audited(
      'organization.create',
      { session, ip, organizationId, target: organizationId },
      async (deed) => {
        if (!(await affiliations.insertOrganization({ _id: organizationId, name: wanted.name, slug, createdAt })))
          throw new AppError(
            'organization.slug_taken',
            'The short name is taken. Choose another one, or leave it out.',
            {
              errors: [{ pointer: '/slug', code: 'taken', message: 'choose another, or none' }],
            },
          );
        await members.add({ organizationId, userId: session.userId, role: 'owner' });
        await this.ensureProject(organizationId);
        await deed({});
      },
    );
    await this.#prefer(session, organizationId);
    return { organizationId, name: wanted.name, slug };
  }

  /** Error: `organization.not_found`, also for an organization that the person is not a member of. */
  async choose({ session }: Actor, organizationId: string): Promise<void> {
    const { members, accounts } = this.#parts;
    if ((await members.membership(organizationId, session.userId)) === null)
      throw new AppError(
        'organization.not_found',
        'You are not a member of an organization with this id. Choose one of yours.',
        {
          errors: [
            {
              pointer: '/organizationId',
              code: 'not_found',
              message: 'use the id of an organization that you are a member of',
            },
          ],
        },
      );
    await this.ensureProject(organizationId);
    await accounts.choose(session, organizationId);
  }

  /**
   * Adds a member with the role of the invitation; an existing member keeps their role. `key`: secret of the link, or id. A link proves the
   * link, not the address: without a confirmed address or a mailed secret a role above viewer waits. Error: `invitation.not_found`. Source:
   * docs/decisions/0085.
   */
  async accept({ session, ip }: Actor, key: string): Promise<WaitingInvitation & { readonly pendingRole?: Role }> {
    const invitation = await this.invitation(session, key);
    const { organizationId, isProven } = invitation;
    const at = { session, ip, organizationId, target: session.userId };
    const { role, pendingRole } = await this.#audited('member.join', at, (deed) =>
      this.#join(session, invitation, deed),
    );
    if (isProven) await this.#parts.confirmAddress(session.userId);
    await this.ensureProject(organizationId);
    await this.#prefer(session, organizationId);
    return { ...invitation, role, ...(pendingRole === undefined ? {} : { pendingRole }) };
  }

  async #join({ userId, email }: LiveSession, invitation: WaitingInvitation, deed: Done): Promise<Membership> {
    const { affiliations, members } = this.#parts;
    const { organizationId, invitationId, isProven } = invitation;
    // Order matters: taking the invitation first lets only one of two concurrent answers, or a cancellation, succeed.
    if (!(await affiliations.settle(invitationId, email, { to: 'accepted', now: new Date() })))
      throw unknownInvitation();
    const waits = !isProven && invitation.role !== 'viewer';
    const wanted = waits ? { role: 'viewer' as const, pendingRole: invitation.role } : { role: invitation.role };
    let joined: Membership;
    try {
      joined = await members.add({ organizationId, userId, ...wanted });
    } catch (error) {
      await affiliations.reopen(invitationId);
      throw error;
    }
    const { role, pendingRole } = joined;
    await deed({ email, role, ...(pendingRole === undefined ? {} : { pendingRole }) });
    return joined;
  }

  /** Gives the roles that waited for a confirmed address. */
  async confirmRoles(userId: string): Promise<void> {
    const { members, audit } = this.#parts;
    for (const { organizationId, memberId, role, pendingRole } of await members.organizationsOf(userId)) {
      if (pendingRole === undefined) continue;
      const detail = { userId, from: role, to: pendingRole };
      const entry = { organizationId, actor: userId, action: 'member.role', target: memberId, detail, ip: null };
      await audit.during(entry, async (deed) => {
        if (await members.confirmRole(organizationId, memberId, pendingRole)) await deed.done();
      });
    }
  }

  /** Announces what the person does in the organization. `work` calls `deed` with what the record says. */
  #audited<T>(
    action: string,
    { session, ip, organizationId, target }: Actor & { readonly organizationId: string; readonly target: string },
    work: (deed: Done) => Promise<T>,
  ): Promise<T> {
    const entry = { organizationId, actor: session.userId, action, target, detail: {}, ip };
    return this.#parts.audit.during(entry, (deed) => work((detail) => deed.record({ ...entry, detail })));
  }

  /** Error: `invitation.not_found`. */
  async decline({ session, ip }: Actor, key: string): Promise<void> {
    const { affiliations } = this.#parts;
    const { email } = session;
    const { invitationId, organizationId, role } = await this.invitation(session, key);
    await this.#audited('invitation.decline', { session, ip, organizationId, target: email }, async (deed) => {
      if (!(await affiliations.settle(invitationId, email, { to: 'rejected', now: new Date() })))
        throw unknownInvitation();
      await deed({ role });
    });
  }

  /** Selects the organization if the session store answers. An outage is ignored: the organization was created all the same. */
  async #prefer(session: LiveSession, organizationId: string): Promise<void> {
    try {
      await this.#parts.accounts.choose(session, organizationId);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'service.unavailable')) throw error;
    }
  }

  /** Organization that a new session starts in; null: none. */
  async firstOrganization(userId: string): Promise<string | null> {
    const [first] = await this.#parts.members.organizationsOf(userId);
    if (first === undefined) return null;
    await this.ensureProject(first.organizationId);
    return first.organizationId;
  }

  /** Adds the first project if there is none. Its id is derived, so that two concurrent calls create the same one. */
  async ensureProject(organizationId: string): Promise<void> {
    const { organizations } = this.#parts;
    if ((await organizations.listProjects(organizationId)).length > 0) return;
    const projectId = derivedId('project', organizationId, 'default');
    // Order matters: with the workflows first, a project that exists is complete.
    await this.#parts.seedProject({ organizationId, projectId });
    const project = { _id: projectId, organizationId, name: 'Default project', createdAt: new Date() };
    try {
      await organizations.insertProject(project);
    } catch (error) {
      // A concurrent call created it.
      if (!(error instanceof AppError && error.code === 'project.name_taken')) throw error;
    }
  }
}
