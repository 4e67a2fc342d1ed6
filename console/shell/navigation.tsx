import { Nav, NavItem, NavList, PageSidebar, PageSidebarBody } from "@patternfly/react-core";
import { Link, useLocation } from "wouter";
import { pages } from "./pages.ts";

interface NavigationProps {
  readonly isOpen: boolean;
  readonly onSelect: () => void;
}

/** The pages by name. */
export function Navigation({ isOpen, onSelect }: NavigationProps) {
  const [location] = useLocation();
  return (
    <PageSidebar isSidebarOpen={isOpen}>
      <PageSidebarBody>
        <Nav aria-label="Pages" onSelect={onSelect}>
          <NavList>
            {pages.map(({ path, title }) => (
              <NavItem key={path} itemId={path} isActive={location === path}>
                <Link href={path}>{title}</Link>
              </NavItem>
            ))}
          </NavList>
        </Nav>
      </PageSidebarBody>
    </PageSidebar>
  );
}
