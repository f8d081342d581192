import { Files, FlaskConical, Network, type LucideIcon } from 'lucide-react';
import { shell } from '../text/shell.ts';

interface NavItem {
  readonly to: string;
  readonly words: string;
  readonly icon: LucideIcon;
  /** Second key after `g`. */
  readonly key: string;
  /** Shown in the bar of small screens. */
  readonly isMain: boolean;
}

/** Pages of the main menu, in order. */
export const navItems = [
  { to: '/documents', words: shell.documents, icon: Files, key: 'd', isMain: true },
  { to: '/workflows', words: shell.workflows, icon: Network, key: 'w', isMain: true },
  { to: '/experiments', words: shell.experiments, icon: FlaskConical, key: 'e', isMain: false },
] as const satisfies readonly NavItem[];
