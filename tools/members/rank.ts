import { mayChange, type Role } from '#src/domain/access/role.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ToolContext } from '#tools/define.ts';

type Who = Pick<ToolContext<never>, 'principal'>;

/** True if the caller may make, change or remove a member of this role. Keys may not: only people manage members. */
export function outranks({ principal }: Who, role: Role): boolean {
  return principal.session !== null && mayChange(principal.session.role, role);
}

/** Error: `auth.forbidden` unless the caller outranks the role. */
export function requireRank(who: Who, role: Role): void {
  if (!outranks(who, role))
    throw new AppError(
      'auth.forbidden',
      'Only an owner can make, change or remove owners. Ask an owner of the organization.',
    );
}
