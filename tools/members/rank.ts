import { mayChange, type Role } from '#src/domain/access/role.ts';
import { Fault } from '#src/domain/fault.ts';
import type { ToolContext } from '#tools/define.ts';

type Who = Pick<ToolContext, 'principal'>;

/** Whether the caller may make, change or remove somebody of this role. A key never: members are a person's affair. */
export function outranks({ principal }: Who, role: Role): boolean {
  return principal.session !== null && mayChange(principal.session.role, role);
}

/** Fault: `auth.forbidden`. */
export function requireRank(who: Who, role: Role): void {
  if (!outranks(who, role)) throw new Fault('auth.forbidden', 'Only an owner makes, changes and removes owners.');
}
