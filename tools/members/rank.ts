import { mayChange, type Role } from '#src/domain/access/role.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ToolContext } from '#tools/define.ts';

type Who = Pick<ToolContext<never>, 'principal'>;

/** Whether the caller may make, change or remove somebody of this role. A key never: members are a person's affair. */
export function outranks({ principal }: Who, role: Role): boolean {
  return principal.session !== null && mayChange(principal.session.role, role);
}

/** Error: `auth.forbidden`. */
export function requireRank(who: Who, role: Role): void {
  if (!outranks(who, role)) throw new AppError('auth.forbidden', 'Only an owner makes, changes and removes owners.');
}
