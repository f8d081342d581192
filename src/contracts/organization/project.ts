import { z } from 'zod';
import { AnyId, Timestamp } from '#src/contracts/fields.ts';

const name = z.string().trim().min(1).max(200);

export const Project = z.object({ id: z.string(), name: z.string(), createdAt: Timestamp }).meta({ id: 'Project' });
export const ProjectList = z.object({ projects: z.array(Project) });
export const ProjectPath = z.object({ projectId: AnyId });
/** A new project begins with the workflows that come along. */
export const NewProject = z.strictObject({ name });
export const ProjectChange = z.strictObject({ name });
