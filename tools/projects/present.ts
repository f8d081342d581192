import type { z } from 'zod';
import type { Project } from '#src/contracts/organization/project.ts';
import type { ProjectRecord } from '#src/domain/access/organization.ts';

export function presentProject({ _id: id, name, createdAt }: ProjectRecord): z.input<typeof Project> {
  return { id, name, createdAt: createdAt.toISOString() };
}
