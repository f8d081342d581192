import { z } from 'zod';

/** Addresses for people. Source: `links.web`, docs/decisions/0188. */
export const WebLink = z.url().describe('Page of the dashboard, for people; absent without a dashboard');
export const WebLinks = z.object({ web: WebLink }).optional();
