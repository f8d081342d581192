import { Organization, OrganizationChange } from '#src/contracts/organization/organization.ts';
import { AppError } from '#src/domain/app-error.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

export const requireSecondFactor = defineTool({
  name: 'require_second_factor',
  description:
    'Sets if the organization demands a second factor of its members. Members without one, and programs that act for them, are refused until they have one; API keys go on. Only owners who have one themselves can demand it.',
  scope: 'members:manage',
  effect: 'write',
  idempotent: true,
  recentSignIn: true,
  input: OrganizationChange,
  output: Organization,
  async run(ctx: ToolContext<'audit' | 'organizations'>, { requiresSecondFactor }) {
    const { organizations } = ctx.deps;
    const { organizationId, session } = ctx.principal;
    if (session?.role !== 'owner')
      throw new AppError(
        'auth.forbidden',
        'Only an owner can demand a second factor. Ask an owner of the organization.',
      );
    // Nobody could switch it off again who is refused themselves.
    if (requiresSecondFactor && session.hasSecondFactor !== true)
      throw new AppError(
        'auth.forbidden',
        'Set up your own second factor at /two-factor first: without it the organization would refuse you.',
      );
    const was = await organizations.demandSecondFactor(organizationId, requiresSecondFactor);
    if (was === null) throw new AppError('organization.not_found', 'The organization does not exist any more.');
    if ((was.requiresSecondFactor ?? false) !== requiresSecondFactor)
      await record(ctx, 'organization.second_factor', organizationId, { requiresSecondFactor });
    return { organizationId, name: was.name, requiresSecondFactor };
  },
});
