//! Installing into and removing from folders of their own. The update tools run if they are there.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::*;

fn options(home: &TempDir, folders: Folders) -> InstallOptions {
    InstallOptions {
        user: UserFolders { data_home: home.path().join("data"), config_home: home.path().join("config") },
        executable: PathBuf::from("/opt/my apps/chunkscope"),
        folders,
    }
}

/// Every file that isn't made by an update tool.
fn files_below(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with("data/mime") {
                folders.push(path.join("packages")); // all else there is made
            } else if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("mimeinfo.cache") {
                files.insert(path.clone(), fs::read_to_string(path).unwrap());
            }
        }
    }
    files
}

#[test]
fn install_writes_entry_types_icon_and_defaults() {
    let home = tempfile::tempdir().unwrap();
    let options = options(&home, Folders::Keep);
    let report = install(&options).unwrap();
    let user = &options.user;
    let files = files_below(home.path());
    let mut written = report.written.clone();
    written.sort();
    assert_eq!(written, files.keys().cloned().collect::<Vec<_>>());
    assert!(files[&user.entry()].contains("Exec=\"/opt/my apps/chunkscope\" %F\nTryExec=/opt/my apps/chunkscope\n"));
    assert_eq!(files[&user.mime_package()], MIME_PACKAGE);
    assert_eq!(files[&user.icon()], ICON);
    assert_eq!(
        files[&user.mimeapps()],
        "[Default Applications]\napplication/x-wkw=chunkscope.desktop;\n\
         application/x-webknossos-dataset+json=chunkscope.desktop;\n\
         application/x-webknossos-nml+xml=chunkscope.desktop;\n"
    );
}

#[test]
fn install_twice_leaves_the_same_files() {
    let home = tempfile::tempdir().unwrap();
    let options = options(&home, Folders::Offer);
    install(&options).unwrap();
    let once = files_below(home.path());
    install(&options).unwrap();
    assert_eq!(files_below(home.path()), once);
}

#[test]
fn uninstall_leaves_no_file_and_can_be_repeated() {
    let home = tempfile::tempdir().unwrap();
    let options = options(&home, Folders::Offer);
    install(&options).unwrap();
    let report = uninstall(&options.user).unwrap();
    assert_eq!((report.removed.len(), report.changed.len()), (3, 1));
    assert_eq!(files_below(home.path()), BTreeMap::new());
    let again = uninstall(&options.user).unwrap();
    assert_eq!((again.removed, again.changed), (Vec::new(), Vec::new()));
}

#[test]
fn uninstall_of_what_was_never_installed_writes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let report = uninstall(&options(&home, Folders::Keep).user).unwrap();
    assert_eq!(report.to_string(), "nothing was installed\n");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn folders_come_behind_the_current_opener_and_go_with_it() {
    let home = tempfile::tempdir().unwrap();
    let options = options(&home, Folders::Offer);
    let before = "[Default Applications]\ninode/directory=files.desktop\n";
    fs::create_dir_all(&options.user.config_home).unwrap();
    fs::write(options.user.mimeapps(), before).unwrap();
    install(&options).unwrap();
    // An update without the option keeps what was asked for once.
    install(&InstallOptions { folders: Folders::Keep, ..options.clone() }).unwrap();
    let text = fs::read_to_string(options.user.mimeapps()).unwrap();
    assert!(text.ends_with("\n[Added Associations]\ninode/directory=files.desktop;chunkscope.desktop;\n"), "{text}");
    uninstall(&options.user).unwrap();
    assert_eq!(fs::read_to_string(options.user.mimeapps()).unwrap(), before);
}

#[test]
fn folders_are_left_alone_if_their_opener_is_unknown() {
    let before = "[Default Applications]\na/b=c.desktop\n";
    assert_eq!(with_folders(before, &FolderOpener::Unknown), (before.to_owned(), None));
    let (text, pinned) = with_folders(before, &FolderOpener::Nobody);
    assert_eq!((text, pinned), (format!("{before}\n[Added Associations]\ninode/directory=chunkscope.desktop;\n"), None));
}

#[test]
fn refused_program_path_writes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let options = InstallOptions { executable: "chunkscope".into(), ..options(&home, Folders::Keep) };
    assert!(matches!(install(&options), Err(DesktopError::ExecutablePath { .. })));
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn folder_that_cannot_be_written_is_named() {
    let home = tempfile::tempdir().unwrap();
    let options = options(&home, Folders::Keep);
    fs::write(&options.user.data_home, "a file where a folder should be").unwrap();
    let message = install(&options).unwrap_err().to_string();
    assert!(message.starts_with("file can't be "), "{message}");
    assert!(message.contains(&home.path().join("data").display().to_string()), "{message}");
}

#[test]
fn relative_variables_are_ignored() {
    let variables = |name: &str| match name {
        "HOME" => Some(OsString::from("/home/ada")),
        "XDG_DATA_HOME" => Some(OsString::from("/data")),
        "XDG_CONFIG_HOME" => Some(OsString::from("config")),
        _ => None,
    };
    let user = UserFolders::from_variables(variables).unwrap();
    assert_eq!(user.data_home, Path::new("/data"));
    assert_eq!(user.config_home, Path::new("/home/ada/.config"));
    assert!(matches!(UserFolders::from_variables(|_| None), Err(DesktopError::NoHome { .. })));
}

#[test]
fn mime_package_declares_our_types() {
    let declared: Vec<&str> =
        MIME_PACKAGE.lines().filter_map(|line| line.trim().strip_prefix("<mime-type type=\"")?.strip_suffix("\">")).collect();
    assert_eq!(declared, MIME_TYPES);
}
