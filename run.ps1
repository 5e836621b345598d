# Everything from a checkout on Windows: sets up what is missing, then does what you ask.
#   .\run.ps1                      opens the window
#   .\run.ps1 test [--long] [ARGS] ruff, mypy, import-linter and pytest; --long adds the long tests; ARGS go to pytest
#   .\run.ps1 test --fast [ARGS]   ruff and the quick tests of the core, in under two minutes; ARGS go to pytest
#   .\run.ps1 check [ARGS]         compares answers of every model language with brute force; ARGS go to the script
#   .\run.ps1 fuzz [ARGS]          reads thousands of damaged and hostile files of every format; ARGS go to the script
#   .\run.ps1 package              wheel, source distribution and a folder that needs no Python, in dist\
#   .\run.ps1 docs                 the manual as a site in site\, with checked links
#   .\run.ps1 bench [NAME]         benchmarks against peers, which live in an environment of their own
#   .\run.ps1 WORDS...             the command line, e.g. .\run.ps1 learn bn.hill-climb sample_data\asia_sample.csv
# The window and the command line run in the folder they are called from, everything else in the checkout.
# Where scripts are not allowed: powershell -ExecutionPolicy Bypass -File run.ps1 WORDS...
#
# No param block: PowerShell would take --options of the program for its own.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$root = $PSScriptRoot
# PowerShell reads a,b as an array.
$words = @($args | ForEach-Object { if ($_ -is [array]) { $_ -join "," } else { [string]$_ } })
$python = Join-Path $root '.venv\Scripts\python.exe'

function Stop-With([string]$text) {
    [Console]::Error.WriteLine($text)
    exit 2
}

# Runs a program; its exit code ends the script when it is not 0.
function Invoke-Checked([string]$program, [object[]]$arguments) {
    & $program @arguments
    if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }
}

function Find-Python {
    $test = 'import sys; sys.exit(sys.version_info < (3, 11))'
    foreach ($candidate in @(@('py', '-3'), @('python'), @('python3'))) {
        if (-not (Get-Command $candidate[0] -ErrorAction SilentlyContinue)) { continue }
        $first = @($candidate | Select-Object -Skip 1)
        try { & $candidate[0] @first '-c' $test 2>$null | Out-Null } catch { continue }
        if ($LASTEXITCODE -eq 0) { return , $candidate }
    }
    Stop-With 'PGM Studio needs Python 3.11 or newer, and none was found. Install it from python.org or the Microsoft Store and start again.'
}

# The stamp holds what was asked for, so that a second start costs nothing.
function Initialize-Environment([string]$folder, [string]$extras, [string[]]$packages = @()) {
    $environmentPython = Join-Path $folder 'Scripts\python.exe'
    $hashes = foreach ($name in 'pyproject.toml', 'run.ps1') { (Get-FileHash (Join-Path $root $name)).Hash }
    $wanted = "$extras $packages $hashes"
    $stamp = Join-Path $folder "stamp-$extras"
    if ((Test-Path $environmentPython) -and (Test-Path $stamp) -and ((Get-Content -Raw $stamp) -eq $wanted)) { return }
    if (-not (Test-Path $environmentPython)) {
        [Console]::Error.WriteLine("Making the Python environment in $folder (about half a minute, once).")
        $found = Find-Python
        $first = @($found | Select-Object -Skip 1)
        Invoke-Checked $found[0] ($first + @('-m', 'venv', $folder))
    }
    else {
        [Console]::Error.WriteLine("Bringing the Python environment in $folder up to date.")
    }
    $log = Join-Path $folder 'setup.log'
    $asked = @('-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-compile', '--log', $log, '-e', "$root[$extras]") + $packages
    & $environmentPython @asked
    if ($LASTEXITCODE -ne 0) {
        Stop-With "The Python packages could not be installed; the lines above say why. Whole log: $log"
    }
    Set-Content -NoNewline -Path $stamp -Value $wanted
}

# The rest of a list, also when it is short.
function Get-Rest([object[]]$list, [int]$skipped) { return , @($list | Select-Object -Skip $skipped) }

function Invoke-Tests([object[]]$words) {
    Initialize-Environment (Join-Path $root '.venv') 'dev'
    $programs = Join-Path $root '.venv\Scripts'
    $isFast = $words.Count -gt 0 -and $words[0] -eq '--fast'
    $isLong = $words.Count -gt 0 -and $words[0] -eq '--long'
    if ($isFast -or $isLong) { $words = Get-Rest $words 1 }
    Invoke-Checked (Join-Path $programs 'ruff.exe') @('check', '.')
    if ($isFast) {
        Invoke-Checked $python (@('-m', 'pytest', '-n', '2', '-m', 'not slow and not long', 'tests/core') + $words)
        return
    }
    $env:QT_QPA_PLATFORM = 'offscreen'
    Invoke-Checked (Join-Path $programs 'ruff.exe') @('format', '--check', '.')
    Invoke-Checked (Join-Path $programs 'mypy.exe') @()
    Invoke-Checked (Join-Path $programs 'lint-imports.exe') @()
    # An expression that is always true: Windows PowerShell does not pass empty arguments on.
    $chosen = if ($isLong) { @('-m', 'long or not long') } else { @() }
    & $python '-m' 'pytest' '-n' '2' '--dist' 'loadfile' '--no-loadscope-reorder' @chosen @words
    if ($LASTEXITCODE -eq 1) {
        [Console]::Error.WriteLine('Running the failed tests once more, alone. One that passes now depends on load: report it, it is a fault of the test.')
        & $python '-m' 'pytest' '--last-failed' '--last-failed-no-failures' 'none' @chosen @words
    }
    exit $LASTEXITCODE
}

$first = if ($words.Count -gt 0) { [string]$words[0] } else { '' }
$rest = Get-Rest $words 1
$inCheckout = $first -in 'test', 'check', 'fuzz', 'bench', 'package', 'docs'
if ($inCheckout) { Push-Location $root }
try {
    switch ($first) {
        'test' { Invoke-Tests $rest }
        'check' {
            Initialize-Environment (Join-Path $root '.venv') 'dev'
            Invoke-Checked $python (@('benchmarks/check_answers.py') + $rest)
        }
        'fuzz' {
            Initialize-Environment (Join-Path $root '.venv') 'dev'
            Invoke-Checked $python (@('-m', 'tests.fuzzing') + $rest)
        }
        'bench' {
            $peers = @(Get-Content (Join-Path $root 'benchmarks\peers.txt') | Where-Object { $_ -and $_ -notmatch '^#' })
            Initialize-Environment (Join-Path $root '.bench-venv') 'dev' $peers
            if (-not $env:QT_QPA_PLATFORM) { $env:QT_QPA_PLATFORM = 'offscreen' }
            Invoke-Checked (Join-Path $root '.bench-venv\Scripts\python.exe') (@('benchmarks/run_all.py') + $rest)
        }
        'package' {
            Initialize-Environment (Join-Path $root '.venv') 'dev,package'
            Invoke-Checked $python (@('resources/packaging/build.py') + $rest)
        }
        'docs' {
            Initialize-Environment (Join-Path $root '.venv') 'docs'
            $env:NO_MKDOCS_2_WARNING = '1' # advertisement of another program
            Invoke-Checked $python (@('-m', 'mkdocs', 'build', '--config-file', 'docs/site/mkdocs.yml', '--strict') + $rest)
        }
        default {
            Initialize-Environment (Join-Path $root '.venv') 'gui,excel'
            # -P: modules in the caller's folder are not ours.
            Invoke-Checked $python (@('-P', '-m', 'pgmstudio') + $words)
        }
    }
}
finally {
    if ($inCheckout) { Pop-Location }
}
