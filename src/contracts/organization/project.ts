import { z } from 'zod';
import { AnyId, Name, Timestamp } from '#src/contracts/fields.ts';

export const Project = z.object({ id: z.string(), name: z.string(), createdAt: Timestamp }).meta({ id: 'Project' });
export const ProjectList = z.object({ projects: z.array(Project) });
export const ProjectPath = z.object({ projectId: AnyId });
/** A new project starts with the built-in workflows. */
export const NewProject = z.strictObject({ name: Name });
export const ProjectChange = z.strictObject({ name: Name });
