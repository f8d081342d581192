import { Files, type LucideIcon } from 'lucide-react';
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
] as const satisfies readonly NavItem[];
