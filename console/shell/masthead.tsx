import {
  Button,
  Masthead,
  MastheadBrand,
  MastheadContent,
  MastheadMain,
  MastheadToggle,
  PageToggleButton,
  Toolbar,
  ToolbarContent,
  ToolbarItem,
} from "@patternfly/react-core";
import MoonIcon from "@patternfly/react-icons/dist/esm/icons/moon-icon";
import SunIcon from "@patternfly/react-icons/dist/esm/icons/sun-icon";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { type Session, signOut } from "../api/session.ts";
import { chooseTheme, isDark } from "./theme.ts";

interface MastheadProps {
  readonly session: Session;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** Where one is, as whom, and in which light. */
export function ConsoleMasthead({ session, isOpen, onToggle }: MastheadProps) {
  const cache = useQueryClient();
  const [dark, setDark] = useState(isDark);
  const turn = () => {
    chooseTheme(!dark);
    setDark(!dark);
  };
  return (
    <Masthead display={{ default: "stack", sm: "inline" }}>
      <MastheadMain>
        <MastheadToggle>
          <PageToggleButton
            isHamburgerButton
            aria-label="Navigation"
            isSidebarOpen={isOpen}
            onSidebarToggle={onToggle}
          />
        </MastheadToggle>
        <MastheadBrand>
          <Link href="/" className="pf-v6-c-masthead__logo hf-brand">
            Holdfast
          </Link>
        </MastheadBrand>
      </MastheadMain>
      <MastheadContent>
        <Toolbar isFullHeight>
          <ToolbarContent>
            <ToolbarItem align={{ default: "alignEnd" }}>
              <Button
                variant="plain"
                aria-label={dark ? "Light theme" : "Dark theme"}
                icon={dark ? <SunIcon /> : <MoonIcon />}
                onClick={turn}
              />
            </ToolbarItem>
            <ToolbarItem>
              <div className="hf-user" title={session.user ?? undefined}>
                {session.user}
              </div>
            </ToolbarItem>
            {session.how === "token" && (
              <ToolbarItem>
                <Button variant="link" onClick={() => void signOut(cache)}>
                  Sign out
                </Button>
              </ToolbarItem>
            )}
          </ToolbarContent>
        </Toolbar>
      </MastheadContent>
    </Masthead>
  );
}
